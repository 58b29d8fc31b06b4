// Jest evaluates its own packages (`expect`, snapshots, differences) anew for each test file, which takes longer than most unit
// tests. Here they are Node's own, loaded once per worker. What keeps the tests of a file, jest-circus itself, is evaluated anew.
const { createRequire } = require('node:module');
const { default: Runtime } = require('jest-runtime');

module.exports = class WarmRuntime extends Runtime {
  requireInternalModule(from, name) {
    return name === undefined ? super.requireInternalModule(from) : createRequire(from)(name);
  }
};
