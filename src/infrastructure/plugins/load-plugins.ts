import { isJsonObject, OperatorError } from '@bellwether/kernel';
import { type Plugin, PLUGIN_KINDS, type PluginKind, type PluginParts, readPlugin } from '@bellwether/plugin';
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importModule } from './import-module';

/** A plugin of this deployment. */
export interface LoadedPlugin extends Plugin {
  /** Path or package name, as it is configured. */
  readonly source: string;
  /** Name and version of its package; the file's name and null for a single file. */
  readonly name: string;
  readonly version: string | null;
}

/** A plugin with the problems of its entries. It has those entries that are right. */
interface Reading {
  readonly plugin: LoadedPlugin;
  readonly problems: readonly string[];
}

/** Names and aliases that the service itself uses, by kind. */
export type OwnNames = Readonly<Record<PluginKind, ReadonlySet<string>>>;

/** One line per problem, with the plugin as it is configured. */
export class PluginError extends OperatorError {
  constructor(readonly lines: readonly string[]) {
    super(`The plugins cannot be used:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const kindOfFile = (path: string): 'file' | 'folder' | null => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : found.isDirectory() ? 'folder' : 'file';
};

/** Absolute path of a configured path or of an installed package. @throws Error */
function locate(source: string, from: string): string {
  if (source.startsWith('.') || isAbsolute(source)) {
    const path = resolve(from, source);
    if (kindOfFile(path) === null) throw new Error(`there is no file or folder ${path}`);
    return path;
  }
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'node_modules', source);
    if (kindOfFile(path) === 'folder') return path;
    if (folder === dirname(folder)) {
      throw new Error(`no package of this name is installed at ${from} or above; a path begins with ./ or /`);
    }
  }
}

/** The file that a target of `exports` names for imports; null without one. */
function fileOf(target: unknown): string | null {
  if (typeof target === 'string') return target;
  if (!isJsonObject(target)) return null;
  for (const condition of ['.', 'node', 'import', 'default', 'require']) {
    const file = fileOf(target[condition]);
    if (file !== null) return file;
  }
  return null;
}

interface Found {
  readonly file: string;
  readonly name: string;
  readonly version: string | null;
}

/** @throws Error */
function read(path: string): Found {
  if (kindOfFile(path) === 'file') return { file: path, name: basename(path), version: null };
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  } catch (error) {
    throw new Error(`its package.json cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const { name, version, exports, main } = isJsonObject(manifest) ? manifest : {};
  const file = join(path, fileOf(exports) ?? fileOf(main) ?? 'index.js');
  if (kindOfFile(file) !== 'file') throw new Error(`its package.json leads to ${file}, which is no file`);
  return {
    file,
    name: typeof name === 'string' ? name : basename(path),
    version: typeof version === 'string' ? version : null,
  };
}

/** Milliseconds. An import waits for what a module awaits at its top level, which may never come. */
const IMPORT_LIMIT_MS = 30_000;

/** @throws Error */
async function imported(file: string, limitMs: number): Promise<unknown> {
  const timer = new AbortController();
  // Keeps the process alive, too: Node ends one that waits for nothing but an import.
  const late = sleep(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(
      `its import did not end within ${limitMs / 1_000} seconds; ${file} may await something that never comes`,
    );
  });
  try {
    return await Promise.race([importModule(file), late]);
  } finally {
    late.catch(() => undefined);
    timer.abort();
  }
}

/** @throws Error */
async function load(source: string, from: string, limitMs: number): Promise<Reading> {
  const { file, name, version } = read(locate(source, from));
  const module = (await imported(file, limitMs)) as { readonly default?: unknown };
  const exported = module.default;
  // An ES module that was compiled to CommonJS has its default export one level deeper.
  return named({ source, name, version }, isEsModule(exported) ? exported.default : exported);
}

const isEsModule = (value: unknown): value is { readonly default: unknown } =>
  typeof value === 'object' && value !== null && '__esModule' in value && 'default' in value;

function named(about: Pick<LoadedPlugin, 'source' | 'name' | 'version'>, parts: unknown): Reading {
  const { plugin, problems } = readPlugin(parts);
  return { plugin: { ...about, ...plugin }, problems };
}

/** Names of the entries of one kind: those that `replaces` lists stand for the service's own. */
function clashes(plugins: readonly LoadedPlugin[], own: OwnNames): string[] {
  const lines: string[] = [];
  for (const kind of PLUGIN_KINDS) {
    const takenBy = new Map<string, string>();
    for (const { source, replaces, [kind]: entries } of plugins) {
      for (const { definition } of entries) {
        const names = [definition.name, ...('aliases' in definition ? definition.aliases : [])];
        for (const name of names) {
          const other = takenBy.get(name);
          if (other !== undefined) lines.push(`${source}: ${kind} has ${name}, and so has ${other}`);
          else if (own[kind].has(name) && !replaces.includes(definition.name)) {
            lines.push(`${source}: ${kind} has ${name}, and so has the service; list it in replaces to take its place`);
          }
          takenBy.set(name, source);
        }
      }
    }
  }
  return lines;
}

/** Names in `replaces` that no entry of the plugin takes from the service. */
function idleReplacements(plugins: readonly LoadedPlugin[], own: OwnNames): string[] {
  return plugins.flatMap(({ source, replaces, ...plugin }) => {
    const taking = new Set(
      PLUGIN_KINDS.flatMap((kind) =>
        plugin[kind].flatMap(({ definition }) => {
          const names = [definition.name, ...('aliases' in definition ? definition.aliases : [])];
          return names.some((name) => own[kind].has(name)) ? [definition.name] : [];
        }),
      ),
    );
    return replaces
      .filter((name) => !taking.has(name))
      .map(
        (name) => `${source}: replaces has ${name}, but no entry of that name takes the place of one of the service`,
      );
  });
}

interface Surroundings {
  readonly own: OwnNames;
  /** Milliseconds that an import may take. */
  readonly limitMs?: number;
  /** Plugins of an embedding program. */
  readonly given?: readonly PluginParts[];
  /** Folder that relative paths and packages are looked up from. */
  readonly from?: string;
}

/**
 * Imports the plugins that are configured, and reads those that an embedding program hands over.
 * @throws PluginError that names every problem of every plugin
 */
export async function loadPlugins(
  sources: readonly string[],
  { own, limitMs = IMPORT_LIMIT_MS, given = [], from = process.cwd() }: Surroundings,
): Promise<readonly LoadedPlugin[]> {
  const pathOf = (source: string): string => (source.startsWith('.') ? resolve(from, source) : source);
  const paths = sources.map(pathOf);
  // At once: the limit of one import is that of all.
  const loads = sources.map(async (source, index) => {
    if (paths.indexOf(pathOf(source)) !== index) throw new Error('is named twice');
    return load(source, from, limitMs);
  });
  const lines: string[] = [];
  const readings: Reading[] = [];
  const add = (reading: Reading): void => {
    readings.push(reading);
    lines.push(...reading.problems.map((text) => `${reading.plugin.source}: ${text}`));
  };
  for (const [index, result] of (await Promise.allSettled(loads)).entries()) {
    if (result.status === 'fulfilled') add(result.value);
    else lines.push(`${sources[index]}: ${messageOf(result.reason)}`);
  }
  for (const [index, parts] of given.entries()) {
    const source = `plugins[${index}]`;
    add(named({ source, name: source, version: null }, parts));
  }
  const plugins = readings.map(({ plugin }) => plugin);
  // A replacement whose entry is wrong has been named with the entry.
  const whole = readings.flatMap(({ plugin, problems }) => (problems.length === 0 ? [plugin] : []));
  lines.push(...clashes(plugins, own), ...idleReplacements(whole, own));
  if (lines.length > 0) throw new PluginError(lines);
  return plugins;
}
