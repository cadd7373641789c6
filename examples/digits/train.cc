// The training of train.py on the C++ API: the same network, data and optimizer.
//
//   train DIGITS_CSV [EPOCHS]     exits with status 1 when the held-out accuracy is below 98%
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "opweave/ow.h"

namespace {

struct Digits {
  ow::Tensor images;  // float32 [N, 1, 8, 8]
  ow::Tensor labels;  // int64 [N]
};

// Lines of 64 grey values (0 to 16) and the label.
Digits load(const char* path) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(2);
  }
  std::vector<float> pixels;
  std::vector<int64_t> labels;
  std::string line, cell;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    for (int i = 0; std::getline(cells, cell, ','); ++i) {
      if (i < 64) {
        pixels.push_back(std::stof(cell) / 16);
      } else {
        labels.push_back(std::stoll(cell));
      }
    }
  }
  const int64_t n = static_cast<int64_t>(labels.size());
  Digits digits{ow::empty({n, 1, 8, 8}, ow::kFloat), ow::empty({n}, ow::kLong)};
  std::copy(pixels.begin(), pixels.end(), digits.images.data<float>());
  std::copy(labels.begin(), labels.end(), digits.labels.data<int64_t>());
  return digits;
}

Digits take(const Digits& digits, const ow::Tensor& rows) {
  return {digits.images.index_select(0, rows), digits.labels.index_select(0, rows)};
}

// Uniform in [-1/sqrt(fan_in), 1/sqrt(fan_in)].
ow::Tensor parameter(ow::IntList sizes, int64_t fan_in) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  ow::Tensor t = ow::empty(sizes, ow::kFloat);
  t.uniform_(-bound, bound);
  return t.requires_grad_();
}

class DigitNet {
 public:
  ow::Tensor forward(const ow::Tensor& x, bool training) {
    ow::Tensor h = activation(normalise(ow::conv2d(x, w1, b1, {1, 1}, {1, 1}), 0, training));
    h = activation(normalise(ow::conv2d(h, w2, b2, {1, 1}, {1, 1}), 1, training));
    h = ow::dropout(ow::max_pool2d(h, {2, 2}).flatten(1), 0.25, training);
    return ow::linear(activation(ow::linear(h, w3, b3)), w4, b4);
  }

  std::vector<ow::Tensor> parameters() {
    return {w1, b1, w2, b2, w3, b3, w4, b4, scale[0], shift[0], scale[1], shift[1]};
  }

 private:
  // The smooth ReLU of train.py, written out: gradients need no definition of their own.
  static ow::Tensor activation(const ow::Tensor& x) { return (x + (x * x + 4).sqrt()) * 0.5; }

  ow::Tensor normalise(const ow::Tensor& x, int i, bool training) {
    return ow::batch_norm(x, scale[i], shift[i], mean[i], var[i], training, /*momentum=*/0.1,
                          /*eps=*/1e-5, /*cudnn_enabled=*/false);
  }

  ow::Tensor w1 = parameter({32, 1, 3, 3}, 9), b1 = parameter({32}, 9);
  ow::Tensor w2 = parameter({64, 32, 3, 3}, 288), b2 = parameter({64}, 288);
  ow::Tensor w3 = parameter({128, 1024}, 1024), b3 = parameter({128}, 1024);
  ow::Tensor w4 = parameter({10, 128}, 128), b4 = parameter({10}, 128);
  ow::Tensor scale[2] = {ow::ones({32}).requires_grad_(), ow::ones({64}).requires_grad_()};
  ow::Tensor shift[2] = {ow::zeros({32}).requires_grad_(), ow::zeros({64}).requires_grad_()};
  ow::Tensor mean[2] = {ow::zeros({32}), ow::zeros({64})};
  ow::Tensor var[2] = {ow::ones({32}), ow::ones({64})};
};

class AdamW {
 public:
  explicit AdamW(std::vector<ow::Tensor> parameters) : parameters_(std::move(parameters)) {
    for (const ow::Tensor& p : parameters_) {
      first_.push_back(ow::zeros(p.sizes()));
      second_.push_back(ow::zeros(p.sizes()));
      steps_.push_back(ow::zeros({}));
    }
  }

  void zero_grad() {
    for (const ow::Tensor& p : parameters_) p.set_grad({});
  }

  void step(double lr) {
    ow::NoGradGuard no_grad;
    std::vector<ow::Tensor> grads;
    for (const ow::Tensor& p : parameters_) grads.push_back(p.grad());
    ow::_fused_adam_(parameters_, grads, first_, second_, std::vector<ow::Tensor>(), steps_, lr,
                     /*beta1=*/0.9, /*beta2=*/0.999, /*weight_decay=*/1e-2,
                     /*eps=*/1e-8, /*amsgrad=*/false, /*maximize=*/false, /*decoupled=*/true);
  }

 private:
  std::vector<ow::Tensor> parameters_, first_, second_, steps_;
};

double accuracy(DigitNet& net, const Digits& digits) {
  ow::NoGradGuard no_grad;
  const ow::Tensor predicted = net.forward(digits.images, /*training=*/false).argmax(1);
  return ow::eq(predicted, digits.labels).to(ow::kFloat).mean().item().to<double>();
}

// Half a cosine from 0.002 to 0: the last epochs settle.
double learning_rate(int epoch, int epochs) {
  return 1e-3 * (1 + std::cos(std::acos(-1.0) * epoch / epochs));
}

double train(DigitNet& net, const Digits& training, const Digits& test, int epochs) {
  AdamW optimizer(net.parameters());
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double last = 0;
    const ow::Tensor order = ow::randperm(training.labels.size(0));
    for (const ow::Tensor& rows : order.split(64)) {
      const Digits batch = take(training, rows);
      optimizer.zero_grad();
      const ow::Tensor loss =
          ow::cross_entropy_loss(net.forward(batch.images, /*training=*/true), batch.labels);
      loss.backward();
      optimizer.step(learning_rate(epoch, epochs));
      last = loss.item().to<double>();
    }
    std::printf("epoch %2d  loss %.4f  test %.2f%%\n", epoch + 1, last, 100 * accuracy(net, test));
    std::fflush(stdout);
  }
  return accuracy(net, test);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: train DIGITS_CSV [EPOCHS]\n");
    return 2;
  }
  ow::manual_seed(0);
  const Digits digits = load(argv[1]);
  const int64_t n = digits.labels.size(0), held_out = n / 5;
  const ow::Tensor order = ow::randperm(n);
  const Digits test = take(digits, order.narrow(0, 0, held_out));
  const Digits training = take(digits, order.narrow(0, held_out, n - held_out));
  DigitNet net;
  const double score = train(net, training, test, argc > 2 ? std::atoi(argv[2]) : 15);
  std::printf("test accuracy %.2f%%\n", 100 * score);
  return score >= 0.98 ? 0 : 1;
}
