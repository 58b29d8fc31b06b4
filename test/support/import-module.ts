import { createRequire } from 'node:module';

/** Stands in for `src/infrastructure/plugins/import-module`: jest compiles the files of a plugin like those of the project. */
export const importModule = (file: string): Promise<unknown> =>
  Promise.resolve().then(() => {
    const module = createRequire(__filename)(file) as { readonly __esModule?: boolean };
    return module.__esModule === true ? module : { default: module };
  });
