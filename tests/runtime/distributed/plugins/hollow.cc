// A library that is no backend's.
extern "C" int opweave_hollow() { return 0; }
