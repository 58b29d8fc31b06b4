// Two rules about places, for `npm run dependencies`: a small file with one reader is part of that reader, and a folder has
// at least four files. Exceptions stand by name in places.json, which may only become shorter.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const SMALL = 80;
const FILES_OF_A_FOLDER = 4;
const LEVELS_BELOW_A_MODULE = 2;

/** Kinds that stand alone whoever reads them: one of each is found by its name. */
const ALONE =
  /\.(?:entity|token|dto|types|errors|module|controller|repository|tool|function|strategy|connector|processor|step|expectation|commands|conformance)\.ts$|\/index\.ts$|\/catalog\/|[-.]worker\.ts$|\.cjs$/;

const isCode = (file) =>
  /^(?:src|extensions)\/.*\.ts$/.test(file) && !file.endsWith('.spec.ts') && !file.includes('/testing/');
const moduleOf = (file) =>
  file
    .split('/')
    .slice(0, file.startsWith('src/infrastructure/') ? 3 : 2)
    .join('/');
const linesOf = (file) => readFileSync(file, 'utf8').split('\n').length - 1;

/** Files under 80 lines that one file of their module imports. Those with a spec of their own, or loaded on demand, stay. */
function smallFiles(modules) {
  const readers = new Map();
  const kept = new Set();
  for (const { source, dependencies } of modules) {
    if (source.endsWith('.spec.ts') && isCode(source.replace(/\.spec\.ts$/, '.ts')))
      kept.add(source.replace(/\.spec\.ts$/, '.ts'));
    for (const { resolved, dynamic } of dependencies) {
      if (dynamic) kept.add(resolved);
      if (!source.endsWith('.spec.ts')) readers.set(resolved, (readers.get(resolved) ?? new Set()).add(source));
    }
  }
  return [...readers].flatMap(([file, by]) => {
    const [reader] = by;
    const isShown = reader.endsWith('/index.ts');
    const isKept = !isCode(file) || ALONE.test(file) || kept.has(file) || by.size > 1 || isShown;
    return isKept || moduleOf(reader) !== moduleOf(file) || linesOf(file) >= SMALL ? [] : [file];
  });
}

/** Folders below a module with fewer than four files (specs left out), or too deep. A plugin's folder is its own. */
function smallFolders(modules) {
  const counts = new Map();
  for (const { source } of modules)
    if (isCode(source)) counts.set(dirname(source), (counts.get(dirname(source)) ?? 0) + 1);
  return [...counts].flatMap(([folder, files]) => {
    const below = folder.split('/').length - (folder.startsWith('src/infrastructure/') ? 3 : 2);
    const isSmall = below > 0 && files < FILES_OF_A_FOLDER;
    return /\/(?:catalog|functions)(?:\/|$)|\/contract$/.test(folder) || (!isSmall && below <= LEVELS_BELOW_A_MODULE)
      ? []
      : [folder];
  });
}

/** What is found beside the named exceptions, and exceptions that are none any more. */
export function placeProblems(modules) {
  const known = JSON.parse(readFileSync('scripts/places.json', 'utf8'));
  const compare = (found, named, told, stale) => [
    ...found.filter((place) => !named.includes(place)).map((place) => `${place}: ${told}`),
    ...named.filter((place) => !found.includes(place)).map((place) => `scripts/places.json: ${place} ${stale}`),
  ];
  return [
    ...compare(
      smallFiles(modules),
      known.files,
      `fewer than ${SMALL} lines and one reader: part of that file`,
      'is no small file with one reader any more: take it out',
    ),
    ...compare(
      smallFolders(modules),
      known.folders,
      `fewer than ${FILES_OF_A_FOLDER} files, or more than ${LEVELS_BELOW_A_MODULE} levels below its module`,
      'is no small or deep folder any more: take it out',
    ),
  ];
}
