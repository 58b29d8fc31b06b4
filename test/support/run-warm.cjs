// Runs a transformed file of the project in the process's own context.
const { builtinModules, createRequire } = require('node:module');
const { isAbsolute, sep } = require('node:path');
const { compileFunction } = require('node:vm');

const BUILT_IN = new Set(builtinModules);
const PACKAGES = `${sep}node_modules${sep}`;
const PARAMETERS = ['module', 'exports', 'require', '__dirname', '__filename', 'jest'];

/** Compiled functions by file name, for all test files of a worker. */
const compiled = new Map();

const isPackage = (name) =>
  isAbsolute(name)
    ? name.includes(PACKAGES)
    : !name.startsWith('.') && !name.startsWith('node:') && !BUILT_IN.has(name);

function compile(hash, source, filename) {
  const known = compiled.get(filename);
  if (known?.hash === hash) return known.run;
  const run = compileFunction(source(), PARAMETERS, { filename });
  compiled.set(filename, { hash, run });
  return run;
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

module.exports = function runWarm(hash, source, { module, exports, require, __dirname, __filename, jest }) {
  const run = compile(hash, source, __filename);
  run.call(exports, module, exports, requireFor(__filename, require), __dirname, __filename, jest);
};
