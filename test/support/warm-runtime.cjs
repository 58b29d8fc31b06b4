// Jest evaluates every module anew for every test file, packages as well, which takes longer than most files' tests. Here
// packages are Node's own, loaded once per worker as in production; the project's modules are still evaluated for each file,
// from functions that are compiled once per worker. jest.mock() works as ever.
const { builtinModules, createRequire } = require('node:module');
const { isAbsolute, sep } = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const BUILT_IN = new Set(builtinModules);
const PACKAGES = `${sep}node_modules${sep}`;

const compiled = new Map();

const isPackage = (name) =>
  isAbsolute(name)
    ? name.includes(PACKAGES)
    : !name.startsWith('.') && !name.startsWith('node:') && !BUILT_IN.has(name);

module.exports = class WarmRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    if (typeof this.executor?.compile !== 'function')
      throw new Error('jest-runtime compiles elsewhere since its update');
    this.executor.compile = (source, filename) => this.compiledOnce(source, filename);
  }

  requireModule(from, name, options, isRequireActual) {
    const file = name ?? from;
    if (!options?.isInternalModule && isPackage(file)) return createRequire(from)(file);
    return super.requireModule(from, name, options, isRequireActual);
  }

  compiledOnce(source, filename) {
    const known = compiled.get(filename);
    if (known?.source === source) return known.run;
    const run = compileFunction(source, this.executor.injectedModuleParameters, { filename });
    compiled.set(filename, { source, run });
    return run;
  }
};
