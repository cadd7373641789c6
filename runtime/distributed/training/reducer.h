// Reducer: makes the gradients of a model equal on all ranks of a group, while the backward pass
// goes on. Each gradient that is ready goes into its bucket; a bucket whose gradients are all ready
// is reduced, in the same order on all ranks, beside what is still computed.
//
// The method is that of S. Li et al., PyTorch Distributed: Experiences on Accelerating Data
// Parallel Training (VLDB 2020).
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/autograd/api.h"
#include "runtime/distributed/group/process_group.h"
#include "runtime/distributed/training/buckets.h"
#include "runtime/distributed/training/comm_hook.h"
#include "runtime/distributed/watch/call_site.h"

namespace opweave::distributed {

struct ReducerOptions {
  BucketLimits limits = {kFirstBucket, kBucket};
  // `grad` of a parameter is a part of its bucket, and nothing is copied back.
  bool gradients_are_views = false;
  // Parameters that a backward pass does not come to count as ready at once.
  bool finds_unused = false;
  // All passes are as the first one, in which gradients are counted and reduced when it is over:
  // then a parameter is ready when as many have come.
  bool is_static = false;
  // Unused parameters are the same on all ranks: buckets of such alone are not reduced, and ranks
  // do not ask one another.
  bool skips_unused = false;
  // Buckets have memory from the first of their gradients on until all are reduced.
  bool is_lazy = false;
  // Notes where the program calls the backward pass (note_call_site()), for errors.
  std::function<void()> note_site = {};
};

// What happened to a bucket in the last backward pass, in seconds since that began.
struct BucketTimes {
  std::vector<std::string> parameters;
  size_t nbytes = 0;
  double ready = 0, reduced = 0;  // its last gradient was there; the collective ended
};
struct ReducerStatistics {
  std::vector<BucketTimes> buckets;  // in the order in which they were reduced
  double began = 0;                  // the end of the forward pass, in seconds since 1970
  double backward = 0;               // until the last gradient was there
  double total = 0;                  // until all gradients were reduced
  // How much of the time of the collectives lay within the backward pass, from 0 to 1.
  double hidden = 0;
};

class Reducer : public std::enable_shared_from_this<Reducer> {
 public:
  // Leaves that require gradients, with their names, the same on all ranks.
  static std::shared_ptr<Reducer> make(std::vector<Tensor> parameters,
                                       std::vector<std::string> names, ProcessGroupPtr group,
                                       const ReducerOptions& options);
  ~Reducer();

  // After a forward pass whose gradients are to be reduced, with the tensors that it returned,
  // which keep the reducer. RuntimeError that names parameters where the pass before has not
  // reduced all gradients. A backward pass that fails on this rank, once it has come to those
  // tensors, ends the group, so that no other waits for it. After the first one, buckets are filled
  // in the order in which gradients came on rank 0.
  void prepare_for_backward(const std::vector<Tensor>& outputs);
  // Throws as that does, before a forward pass has called collectives of its own.
  void check_finished() const;
  // Before a forward pass whose gradients stay what they are on each rank. Those of an earlier one
  // are reduced all the same, once a backward pass comes to its outputs.
  void expect_nothing();
  // In place of the average. Before the first forward pass; once.
  void set_hook(std::shared_ptr<CommHook> hook);
  // For collectors of garbage: who reduces; and the average again in its place.
  const std::shared_ptr<CommHook>& hook() const { return hook_; }
  void drop_hook();
  // From now on, whatever this pass has come to: for ranks whose group has failed. What ranks may
  // have learnt of passes in part is forgotten, so that all go on alike.
  void set_group(ProcessGroupPtr group);
  // How many ranks have gradients to average, where some have no data left.
  void set_divisor(int ranks);
  // For each parameter, whether its gradient is needed on this rank: those of others are dropped as
  // soon as a bucket has them. Hooks may leave what they like in their places. What a pass has
  // reduced is kept apart from what the next one reduces, and added to it.
  void keep_only(std::vector<bool> kept);
  // What a pass calls, for a rank without data: it gives zeros, and has the others' gradients.
  void shadow_pass();
  ReducerStatistics statistics() const;
  // The parameters that had a gradient in the last pass, in the order in which these came.
  std::vector<size_t> arrived() const;
  // Whether passes have differed in the parameters that had gradients.
  bool changes() const;
  // Whether buckets are filled in the order of the first pass.
  bool is_rebuilt() const;
  // The parameters in the order in which buckets are filled; and such an order that an earlier
  // program had, before the first forward pass, the same on all ranks.
  std::vector<size_t> order() const;
  void set_order(const std::vector<size_t>& order);

 private:
  using Clock = std::chrono::steady_clock;
  struct State {
    Bucket bucket;
    size_t pending = 0;
    std::unique_ptr<Reduction> reduction;
    Clock::time_point ready{};
  };
  struct Place {
    size_t bucket, view;
  };

  Reducer(std::vector<Tensor> parameters, std::vector<std::string> names, ProcessGroupPtr group,
          const ReducerOptions& options);
  void make_buckets(const std::vector<size_t>& order);
  void add_hooks();
  void watch(const std::vector<Tensor>& outputs);
  // The first that is seen of a backward pass: a gradient of an output or of a parameter.
  void begin(uint64_t pass);
  bool is_to_begin(uint64_t pass);
  void check_reduced(uint64_t pass) const;
  void end(uint64_t pass);
  void fail(uint64_t pass, const std::exception_ptr& error) noexcept;
  void on_gradient(size_t parameter);
  bool counts_only() const { return options_.is_static && expected_.empty(); }
  // Under the mutex.
  bool is_unused(size_t parameter, const BackwardCall& call) const;
  bool waits_for_outputs() const { return begins_by_outputs_ && begun_ != pass_; }
  void fill(size_t parameter);
  void on_gradient_to_come(size_t parameter);
  void set_apart(size_t parameter);
  void put_back(size_t parameter);
  void hide_unused(size_t bucket);
  bool keeps(size_t parameter) const { return kept_.empty() || kept_[parameter]; }
  void mark_ready(size_t parameter);
  bool is_skipped(const Bucket& bucket) const;
  // Without it: hooks are the user's.
  void launch_ready();
  bool launch_next();  // whether it is the last
  void finish();
  void reduce_all();
  void take_order();
  // The group carries it: a copy on the device of the parameters, from `host` and back.
  void in_group(Tensor& host, Collective collective);
  ReducerStatistics times() const;
  GradBucket shown(size_t index) const;
  Tensor result_of(size_t bucket) const;
  void take_result(size_t bucket, const std::vector<bool>& used);
  void write_back(const Bucket& bucket, const std::vector<bool>& used);
  void write_gradient(size_t parameter, const Tensor& view);
  void abort(const std::string& what) noexcept;
  // Whether any rank has used each parameter.
  std::vector<bool> used_anywhere();
  std::vector<bool> agreed(const std::vector<bool>& used);
  // Whether ranks know that before the first bucket is reduced: hooks may keep what they do not
  // send.
  bool asks_first() const;
  void ask_first();
  std::vector<bool> used_in(const Bucket& bucket) const;
  std::string names_of_missing() const;
  std::string names_of(const Bucket& bucket) const;
  template <class Call>
  auto naming(size_t bucket, Call call) const;

  const std::vector<Tensor> parameters_;
  const std::vector<std::string> names_;
  ProcessGroupPtr group_;
  const ReducerOptions options_;
  std::shared_ptr<CommHook> hook_;
  bool has_own_hook_ = false;
  int divisor_;
  std::vector<bool> kept_;                   // none: all
  std::vector<HookHandle> hooks_, watches_;  // of parameters; of the outputs of the last pass
  std::vector<HookHandle> before_;           // of parameters, where some gradients are kept
  std::mutex launching_;                     // held by who launches buckets, in their order
  mutable std::mutex mutex_;                 // of all below
  std::vector<State> buckets_;
  std::vector<size_t> order_;              // in which they are filled
  std::vector<Place> places_;              // by parameter
  std::vector<bool> ready_, used_;         // used: since gradients were reduced, under no_sync too
  std::vector<bool> left_out_;             // unused in the pass that was reduced last
  std::vector<bool> expected_used_;        // when a backward pass begins
  std::vector<bool> agreed_;               // by any rank, if asks_first()
  std::vector<bool> reduced_;              // `grad` is what a pass reduced, where some are kept
  std::vector<Tensor> apart_;              // such gradients, while another pass goes on
  std::vector<uint32_t> came_, expected_;  // gradients in this pass; in each, if it is_static
  std::vector<bool> used_always_;          // by any rank, if it is_static
  std::vector<uint32_t> came_before_;      // in the pass that was reduced last
  std::vector<size_t> arrived_;            // in the order in which gradients came
  size_t next_ = 0;                        // the bucket that is reduced next
  bool expects_ = false, is_rebuilt_ = false, changes_ = false;
  bool begins_by_outputs_ = false;  // and by no gradient of a parameter alone
  bool stays_local_ = false;        // the gradients of the last forward pass
  uint64_t pass_ = 0, begun_ = 0;   // of backward passes, counted from 1; the one that has begun
  CallSite site_;                   // of that
  Clock::time_point began_{};
  std::chrono::system_clock::time_point began_at_{};
  ReducerStatistics statistics_;
};

}  // namespace opweave::distributed
