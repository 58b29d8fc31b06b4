// A Stryker plugin. Stryker's own runner for Jest starts Jest anew for each mutant: a second, where the tests need milliseconds.
// This runner keeps what is compiled. For each mutant it evaluates again the files that can be mutated, the specs, and all
// files between them: no mutant sees what another one left in a cache.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire, Module } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { compileFunction } from 'node:vm';
import { jestExpect } from '@jest/expect';
import { ModernFakeTimers } from '@jest/fake-timers';
import { transformSync } from '@swc/core';
import 'reflect-metadata';
import * as circus from 'jest-circus';
import { ModuleMocker } from 'jest-mock';
import jestConfig from '../../jest.config.cjs';
import modules from './pure-modules.cjs';

const require = createRequire(import.meta.url);
const { _extensions: extensions } = Module;
const [, swc] = jestConfig.projects[0].transform['^.+\\.ts$'];
const { afterAll, afterEach, beforeAll, beforeEach, describe, getState, it, resetState, run, test } = circus;
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
/** Registers of packages that would grow with each evaluation of a class. */
const REGISTERS = ['typeormMetadataArgsStorage', 'classValidatorMetadataStorage'];
/** Variables that Stryker's instrumented code shares with its runner. */
const stryker = (globalThis.__stryker__ ??= {});

/** Stryker changes to its copy of the project once its plugins are loaded. */
let root = null;
const isSpec = (path) => path.endsWith('.spec.ts') && modules.specs.some((spec) => path.startsWith(spec));
const isMutated = (file) => modules.folders.some((folder) => file.startsWith(root + folder));
const compiled = new Map();
/** Files of the project that require a file, by that file. */
const importers = new Map();

extensions['.ts'] = (module, filename) => {
  if (!compiled.has(filename)) {
    const { code } = transformSync(readFileSync(filename, 'utf8'), {
      ...swc,
      jsc: { ...swc.jsc, baseUrl: root },
      filename,
      sourceMaps: false,
    });
    const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
    compiled.set(filename, compileFunction(code, parameters, { filename }));
  }
  const { exports } = module;
  const requireFrom = (name) => {
    const required = Module._resolveFilename(name, module);
    if (required.startsWith(root)) importers.set(required, (importers.get(required) ?? new Set()).add(filename));
    return module.require(name);
  };
  compiled.get(filename).call(exports, exports, requireFrom, module, filename, dirname(filename));
};

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({ global: globalThis, config: { fakeTimers: {}, rootDir: process.cwd() } });
const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  useFakeTimers: timers.useFakeTimers.bind(timers),
  useRealTimers: timers.useRealTimers.bind(timers),
};
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect: jestExpect, it, jest, test });

/** Forgets the files that can be mutated and all that require them, directly or not. */
function forgetModules() {
  const stale = new Set(Object.keys(require.cache).filter(isMutated));
  for (const file of stale) {
    delete require.cache[file];
    for (const importer of importers.get(file) ?? []) stale.add(importer);
  }
  for (const register of REGISTERS) delete globalThis[register];
}

function testsOf(block) {
  return block.children.flatMap((child) => (child.type === 'test' ? [child] : testsOf(child)));
}

/** Evaluates the spec files and returns their tests by an id that is the same at each evaluation. */
function load(files) {
  forgetModules();
  resetState();
  const tests = new Map();
  for (const file of files) {
    const before = tests.size;
    require(file);
    const added = testsOf(getState().rootDescribeBlock).slice(before);
    for (const [index, loaded] of added.entries()) tests.set(`${relative(root, file)}#${index}`, loaded);
  }
  return tests;
}

function tell(name) {
  for (const handle of globalThis[EVENT_HANDLERS]) handle({ name, parentProcess: process }, getState());
}

const fullName = ({ name, parent }) => (parent?.parent ? `${fullName(parent)} ${name}` : name);

/** Runs the loaded tests; `onDone` hears of each. */
async function runTests(tests, onDone) {
  const ids = new Map([...tests].map(([id, loaded]) => [loaded, id]));
  const follow = ({ name, test: current }) => {
    if (name === 'test_start') stryker.currentTestId = ids.get(current);
    if (name !== 'test_done' && name !== 'test_skip') return;
    delete stryker.currentTestId;
    if (name === 'test_done') onDone(ids.get(current), current);
  };
  circus.addEventHandler(follow);
  tell('setup');
  try {
    const { unhandledErrors } = await run();
    return unhandledErrors.map(String);
  } finally {
    tell('teardown');
    circus.removeEventHandler(follow);
    timers.useRealTimers();
    mocker.restoreAllMocks();
  }
}

const messageOf = ({ errors }) => String(errors[0]?.[0]?.message ?? errors[0]?.message ?? errors[0]);

class OneProcessRunner {
  capabilities() {
    return { reloadEnvironment: true };
  }

  init() {
    root = process.cwd() + sep;
    const files = ['src', 'extensions', 'packages'].flatMap((top) =>
      readdirSync(top, { recursive: true }).map((path) => join(top, path)),
    );
    this.files = files.filter(isSpec).map((path) => root + path);
  }

  async dryRun() {
    const results = [];
    const problems = await runTests(load(this.files), (id, done) => {
      const failed = done.errors.length > 0;
      results.push({
        id,
        name: fullName(done),
        fileName: root + id.split('#')[0],
        timeSpentMs: done.duration ?? 0,
        status: failed ? 1 : 0,
        ...(failed ? { failureMessage: messageOf(done) } : {}),
      });
    });
    if (problems.length > 0) return { status: 'error', errorMessage: problems.join('\n') };
    return { status: 'complete', tests: results, mutantCoverage: stryker.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, disableBail, hitLimit, mutantActivation }) {
    Object.assign(stryker, { hitLimit, hitCount: hitLimit === undefined ? undefined : 0 });
    const killedBy = [];
    let failureMessage = '';
    let nrOfTests = 0;
    try {
      if (mutantActivation === 'static') stryker.activeMutant = activeMutant.id;
      const wanted = testFilter && new Set(testFilter);
      const files = wanted ? new Set(testFilter.map((id) => root + id.split('#')[0])) : this.files;
      const tests = load(files);
      for (const [id, loaded] of tests) if (wanted && !wanted.has(id)) loaded.mode = 'skip';
      stryker.activeMutant = activeMutant.id;
      const problems = await runTests(tests, (id, done) => {
        nrOfTests += 1;
        if (done.errors.length === 0) return;
        killedBy.push(id);
        failureMessage ||= messageOf(done);
        if (!disableBail) for (const other of tests.values()) other.mode = 'skip';
      });
      if (stryker.hitCount > hitLimit) return { status: 'timeout', reason: `Hit limit reached (${hitLimit})` };
      if (killedBy.length > 0) return { status: 'killed', killedBy, failureMessage, nrOfTests };
      if (problems.length > 0) return { status: 'error', errorMessage: problems.join('\n') };
      return { status: 'survived', nrOfTests };
    } catch (error) {
      return { status: 'error', errorMessage: String(error?.stack ?? error) };
    } finally {
      delete stryker.activeMutant;
    }
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'one-process', injectableClass: OneProcessRunner }];
