// Test files of a worker share the process's own realm: packages that are loaded once (run-warm.cjs) fit all of them, and
// `instanceof` means what it does in production. The environment restores what a test file changed in that realm.
const { AsyncLocalStorage } = require('node:async_hooks');
const { Logger } = require('@nestjs/common');
const { readFileSync } = require('node:fs');
const { runInContext } = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');
const runWarm = require('./run-warm.cjs');
require('reflect-metadata');

const INTRINSICS = [
  'Array',
  'BigInt',
  'Boolean',
  'Date',
  'Error',
  'Function',
  'Map',
  'Number',
  'Object',
  'Promise',
  'RegExp',
  'Set',
  'String',
  'Symbol',
];

/** A test file with such a call has the service's modules to itself. */
const OWN_MODULES = /\bjest\s*\.(?:doMock|isolateModules\w*|mock|requireActual|resetModules)\b/;

/** Node 20 copies every storage that was ever used at each new promise, until the storage is disabled. */
const storages = new Set();
for (const method of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    storages.add(this);
    return original.apply(this, args);
  };
}

/** jest-circus looks for what `jest.setTimeout` sets in the context, to which its own modules belong. */
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');

/** A socket or timer refers to the hook or test that opened it for as long as it lives. */
function forgetFunctions({ hooks, children }) {
  for (const item of [...hooks, ...children]) {
    if (item.type === 'describeBlock') forgetFunctions(item);
    else Object.assign(item, { fn: null, asyncError: null });
  }
}

/** The file's hooks and tests, which jest-circus keeps in the context under a symbol of its own. */
function rootOf(context) {
  const symbol = Object.getOwnPropertySymbols(context).find(({ description }) => description === 'JEST_STATE_SYMBOL');
  return symbol === undefined ? { hooks: [], children: [] } : context[symbol].rootDescribeBlock;
}

const usualLogger = Logger.staticInstanceRef;

// A worker that has nothing left to do would take its heap apart, for longer than the half second after which Jest kills it.
const { exit } = process;
if (process.connected) process.once('beforeExit', () => exit.call(process));

module.exports = class WarmEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { globalConfig, projectConfig } = config;
    this.before = {
      console: globalThis.console,
      exit: process.exit,
      exitCode: process.exitCode,
      env: { ...process.env },
    };
    // Jest's own modules, `expect` among them, run in the context: `expect.any(String)` compares with its `String`.
    const inContext = runInContext('globalThis', this.getVmContext());
    for (const name of INTRINSICS) inContext[name] = globalThis[name];
    inContext.__runWarm = runWarm;
    Object.defineProperty(inContext, TEST_TIMEOUT, { get: () => globalThis[TEST_TIMEOUT] });
    this.inContext = inContext;
    this.global = globalThis;
    this.moduleMocker = new this.moduleMocker.constructor(globalThis);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: projectConfig, global: globalThis });
    // The old ones: nothing here asks for them.
    this.fakeTimers = null;
    runWarm.begin({
      // A watching process outlives changes of the sources.
      anew: globalConfig.watch || globalConfig.watchAll || OWN_MODULES.test(readFileSync(context.testPath, 'utf8')),
      mapped: projectConfig.moduleNameMapper,
    });
    Logger.overrideLogger(usualLogger);
  }

  async teardown() {
    this.moduleMocker.restoreAllMocks();
    const root = rootOf(this.inContext);
    await super.teardown();
    runWarm.end();
    const { console, exit, exitCode, env } = this.before;
    globalThis.console = console;
    Object.assign(process, { exit, exitCode });
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    for (const storage of storages) storage.disable();
    storages.clear();
    delete globalThis[TEST_TIMEOUT];
    forgetFunctions(root);
    this.inContext = null;
  }
};
