/** Runs the worker of the model on this machine where its packages are not installed. */
const Module = require('node:module');
const { join } = require('node:path');

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  if (request.startsWith('@energetic-ai/')) {
    throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' });
  }
  return resolve.call(this, request, ...rest);
};
require(
  join(__dirname, '../../node_modules/.cache/bellwether-compiled/src/connectors/embeddings/local/local.worker.js'),
);
