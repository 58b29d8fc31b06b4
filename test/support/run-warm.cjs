// Runs a transformed file of the project in the process's own context. The service's own modules are evaluated once per worker
// and then serve all of its test files, as packages do: they keep next to no state, and evaluating them takes longer than most
// tests. Spec files and what lies under `test` are evaluated for each test file. A test file that replaces modules
// (`jest.mock`) gets all of them anew.
const { statSync } = require('node:fs');
const { builtinModules, createRequire } = require('node:module');
const { dirname, isAbsolute, join, relative, resolve, sep } = require('node:path');
const { compileFunction } = require('node:vm');

const ROOT = join(__dirname, '..', '..');
const BUILT_IN = new Set(builtinModules);
const PACKAGES = `${sep}node_modules${sep}`;
const PARAMETERS = ['module', 'exports', 'require', '__dirname', '__filename', 'jest'];
const SERVICE = /^(?:src|extensions|packages|migrations)[\\/](?!.*\.spec\.ts$)/;

/** Compiled functions by file name, for all test files of a worker. */
const compiled = new Map();
/** The service's modules by file name, for all test files of a worker. */
const shared = new Map();
/** Files by the folder and the text of a request. */
const resolved = new Map();

/** The way of the running test file to Jest's modules; null where the file has all modules to itself. */
let current = null;

/** Registers that packages keep, under these names, for the classes of whoever imports them. */
const REGISTERS = ['typeormMetadataArgsStorage', 'classValidatorMetadataStorage'];
/** The registers with the classes of the shared modules. */
let kept = {};
/** Entries of arrays and keys of maps that shared modules have registered. */
const ofService = new WeakSet();
let evaluating = 0;

const collections = () =>
  REGISTERS.flatMap((name) => Object.values(globalThis[name] ?? {})).filter(
    (value) => Array.isArray(value) || value instanceof Map,
  );

/** Runs `evaluate` and remembers what it registers. */
function registering(evaluate) {
  if (evaluating > 0) return evaluate();
  const sizes = new Map(collections().map((collection) => [collection, collection.size ?? collection.length]));
  evaluating += 1;
  try {
    return evaluate();
  } finally {
    evaluating -= 1;
    for (const collection of collections()) {
      for (const entry of [...collection.keys()].slice(sizes.get(collection) ?? 0)) {
        ofService.add(Array.isArray(collection) ? collection[entry] : entry);
      }
    }
  }
}

/** Said by the environment before each test file. `mapped` is Jest's `moduleNameMapper`. */
function begin({ anew, mapped }) {
  current = anew ? null : { mapped, jestRequire: null };
  for (const name of REGISTERS) {
    if (anew || kept[name] === undefined) delete globalThis[name];
    else globalThis[name] = kept[name];
  }
}

/** Said after each test file: classes of its own are not known to the next. */
function end() {
  if (current === null) return;
  for (const collection of collections()) {
    if (Array.isArray(collection)) {
      const own = collection.filter((entry) => ofService.has(entry));
      if (own.length < collection.length) collection.splice(0, collection.length, ...own);
    } else {
      for (const key of collection.keys()) if (!ofService.has(key)) collection.delete(key);
    }
  }
  kept = Object.fromEntries(REGISTERS.map((name) => [name, globalThis[name]]));
}

const isPackage = (name) =>
  isAbsolute(name)
    ? name.includes(PACKAGES)
    : !name.startsWith('.') && !name.startsWith('node:') && !BUILT_IN.has(name);

const isShared = (filename) => SERVICE.test(relative(ROOT, filename));

function compile(hash, source, filename) {
  const known = compiled.get(filename);
  if (known?.hash === hash) return known.run;
  const run = compileFunction(source(), PARAMETERS, { filename });
  compiled.set(filename, { hash, run });
  return run;
}

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** The project's file that a module of the service asks for; undefined for what Node itself finds. */
function fileOf(folder, name) {
  if (!name.startsWith('.') && !isAbsolute(name)) return undefined;
  const key = `${folder}\0${name}`;
  if (!resolved.has(key)) {
    const [request = name] = current.mapped.flatMap(([pattern, target]) => {
      const match = new RegExp(pattern).exec(name);
      return match ? [target.replace(/\$(\d)/g, (_all, group) => match[group])] : [];
    });
    const path = resolve(folder, request);
    resolved.set(
      key,
      [path, `${path}.ts`, join(path, 'index.ts')].find((file) => file.endsWith('.ts') && isFile(file)),
    );
  }
  return resolved.get(key);
}

/** Packages come from Node, everything else (the project, built-in modules, mocks) from Jest. */
function requireFor(filename, jestRequire) {
  let nodeRequire = null;
  const warmRequire = (name) => {
    if (!isPackage(name)) return jestRequire(name);
    nodeRequire ??= createRequire(filename);
    return nodeRequire(name);
  };
  return Object.assign(warmRequire, jestRequire);
}

/** A stand-in for a module of the service belongs to the test file of the moment. */
const standIn = (file) => new Proxy({}, { get: (_, name) => current.jestRequire(file)[name] });

/** A shared module outlives the test file that asked for it first: it asks through that of the moment. */
function sharedRequireFor(filename) {
  const nodeRequire = createRequire(filename);
  const folder = dirname(filename);
  return Object.assign((name) => {
    const file = fileOf(folder, name);
    if (file === undefined) return nodeRequire(name);
    if (!isShared(file)) return standIn(file);
    return shared.get(file)?.exports ?? current.jestRequire(file);
  }, nodeRequire);
}

function evaluateOnce(run, filename) {
  const own = { exports: {}, id: filename, filename };
  shared.set(filename, own);
  try {
    registering(() =>
      run.call(own.exports, own, own.exports, sharedRequireFor(filename), dirname(filename), filename, null),
    );
  } catch (error) {
    shared.delete(filename);
    throw error;
  }
  return own;
}

function runWarm(hash, source, { module, exports, require, __dirname, __filename, jest }) {
  if (current !== null) {
    current.jestRequire ??= require;
    if (isShared(__filename)) {
      module.exports = (shared.get(__filename) ?? evaluateOnce(compile(hash, source, __filename), __filename)).exports;
      return;
    }
  }
  const run = compile(hash, source, __filename);
  run.call(exports, module, exports, requireFor(__filename, require), __dirname, __filename, jest);
}

module.exports = Object.assign(runWarm, { begin, end });
