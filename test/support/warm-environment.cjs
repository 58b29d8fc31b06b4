// Test files of a worker share one realm, the process's own: what is loaded once (warm-runtime.cjs) fits all of them, and
// `instanceof` means what it does in production. What a file leaves behind in it is put back when the file ends.
const { Logger } = require('@nestjs/common');
const { TestEnvironment } = require('jest-environment-node');

/** Registers that packages keep for the classes of whoever imports them: each test file has classes of its own. */
const REGISTERS = ['typeormMetadataArgsStorage', 'classValidatorMetadataStorage'];

const usualLogger = Logger.staticInstanceRef;

module.exports = class WarmEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { projectConfig } = config;
    this.before = {
      console: globalThis.console,
      exit: process.exit,
      exitCode: process.exitCode,
      env: { ...process.env },
    };
    this.global = globalThis;
    this.moduleMocker = new this.moduleMocker.constructor(globalThis);
    this.fakeTimersModern = new this.fakeTimersModern.constructor({ config: projectConfig, global: globalThis });
    // The old ones: nothing here asks for them.
    this.fakeTimers = null;
    for (const register of REGISTERS) delete globalThis[register];
    Logger.overrideLogger(usualLogger);
  }

  async teardown() {
    await super.teardown();
    const { console, exit, exitCode, env } = this.before;
    globalThis.console = console;
    Object.assign(process, { exit, exitCode });
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
};
