// Jest evaluates every module anew for every test file, packages included, inside a context of its own. That takes longer
// than most tests, and packages that are ES modules cannot be required there. This transformer wraps each file of the project:
// the wrapper runs the file in the process's own context (`warm-environment.cjs` provides the function), where packages are
// Node's own, loaded once per worker, and the service's modules are evaluated once per worker, too (`run-warm.cjs`).
const { createHash } = require('node:crypto');
const { createTransformer } = require('@swc/jest');

const RUN_WARM = require.resolve('./run-warm.cjs');

module.exports = {
  createTransformer(options) {
    const swc = createTransformer(options);
    return {
      canInstrument: false,
      getCacheKey: (...args) => `warm-3-${swc.getCacheKey(...args)}`,
      process(source, filename, jestOptions) {
        const { code } = swc.process(source, filename, jestOptions);
        // Jest runs its global set-up without an environment: there the wrapper finds the function itself.
        const run = `(typeof __runWarm === 'function' ? __runWarm : require(${JSON.stringify(RUN_WARM)}))`;
        const scope =
          '{ module, exports, require, __dirname, __filename, jest: typeof jest === "object" ? jest : null }';
        const hash = createHash('sha1').update(code).digest('hex');
        // The code is a function's result: it is read only where it was not compiled before.
        return { code: `return ${run}('${hash}', () => ${JSON.stringify(code)}, ${scope});` };
      },
    };
  },
};
