// Jest on Node 20 cannot require() ES modules: compile those (and only those) to CommonJS. The application itself is CommonJS.
const { createHash } = require('node:crypto');
const { transformSync } = require('@swc/core');

const looksLikeEsm =
  /^\s*(?:import\s*["'{*\w]|export\s*(?:\{|\*|default|const|let|var|class|function|async)|import\.meta)/m;

module.exports = {
  process(source, filename) {
    if (filename.endsWith('.cjs') || !(filename.endsWith('.mjs') || looksLikeEsm.test(source))) return { code: source };
    const { code } = transformSync(source, {
      filename,
      swcrc: false,
      configFile: false,
      module: { type: 'commonjs', ignoreDynamic: false, importInterop: 'node' },
      jsc: { target: 'es2022', parser: { syntax: 'ecmascript', importAttributes: true } },
      sourceMaps: 'inline',
    });
    return { code };
  },
  getCacheKey: (source, filename) => createHash('sha1').update('1').update(filename).update(source).digest('hex'),
};
