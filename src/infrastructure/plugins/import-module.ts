import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The contract, as the build lays it beside the service: plugins get it from here and need not install it. */
const CONTRACT = join(__dirname, '../../../packages/plugin/src');
const PROVIDED: ReadonlyMap<string, string> = new Map([
  ['@bellwether/plugin', join(CONTRACT, 'index.js')],
  ['@bellwether/plugin/conformance', join(CONTRACT, 'conformance/index.js')],
]);

/** Runs in Node's thread for loaders (nodejs.org/api/module.html#customization-hooks). */
const HOOKS = `
let urls;
export const initialize = (given) => { urls = given; };
export const resolve = (name, context, next) =>
  Object.hasOwn(urls, name) ? { url: urls[name], format: 'commonjs', shortCircuit: true } : next(name, context);
`;

interface Resolver {
  _resolveFilename(name: string, ...rest: unknown[]): string;
}

let isProvided = false;

/** Answers imports by hooks, and calls of `require`, which ignore them before Node 22.15. */
function provideContract(): void {
  if (isProvided) return;
  isProvided = true;
  const urls = Object.fromEntries([...PROVIDED].map(([name, file]) => [name, pathToFileURL(file).href]));
  nodeModule.register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: urls });
  const resolver = nodeModule.Module as unknown as Resolver;
  const original = resolver._resolveFilename.bind(resolver);
  resolver._resolveFilename = (name, ...rest) => PROVIDED.get(name) ?? original(name, ...rest);
}

/** Imports a file of a plugin, an ES module or CommonJS. */
export function importModule(file: string): Promise<unknown> {
  provideContract();
  return import(pathToFileURL(file).href);
}
