// The dependency rules: those of .dependency-cruiser.cjs, then some about folders that it cannot express: no cycle between
// the folders of a module, also not through files beside them; small files and folders (places.mjs).
import { cruise, format } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { dirname, join } from 'node:path';
import { placeProblems } from './places.mjs';

/** Imports between files below `root`, specs left out. */
function importsWithin(root, modules) {
  const isInside = (file) => file.startsWith(root) && !file.endsWith('.spec.ts');
  return modules
    .filter(({ source }) => isInside(source))
    .flatMap(({ source, dependencies }) =>
      dependencies.flatMap(({ resolved }) => (isInside(resolved) ? [{ from: source, to: resolved }] : [])),
    );
}

/** Every folder of `files` below `root`, `root` included. */
function foldersOf(root, files) {
  const folders = new Set();
  for (const file of files) {
    for (let folder = dirname(file); `${folder}/`.startsWith(root); folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].sort();
}

/** Inside one folder: each subfolder with all that it holds is a node, each file beside them is another. */
function edgesInside(folder, imports) {
  const nodeOf = (file) => join(folder, file.slice(folder.length + 1).split('/', 1)[0]);
  const edges = new Map();
  for (const { from, to } of imports) {
    if (!from.startsWith(`${folder}/`) || !to.startsWith(`${folder}/`)) continue;
    const [source, target] = [nodeOf(from), nodeOf(to)];
    if (source === target) continue;
    const targets = edges.get(source) ?? new Map();
    edges.set(source, targets);
    const example = targets.get(target) ?? [];
    targets.set(target, [...example, `${from} → ${to}`]);
  }
  return edges;
}

/** Strongly connected components of more than one node (Tarjan, SIAM J. Comput. 1972). */
function cyclesOf(edges) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const cycles = [];
  function visit(node) {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of edges.get(node)?.keys() ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node), low.get(next)));
      } else if (stack.includes(next)) low.set(node, Math.min(low.get(node), index.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) cycles.push(component);
  }
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return cycles;
}

function folderCycles(root, modules) {
  const imports = importsWithin(root, modules);
  const folders = foldersOf(root, new Set(imports.flatMap(({ from, to }) => [from, to])));
  return folders.flatMap((folder) => {
    const edges = edgesInside(folder, imports);
    const cycles = cyclesOf(edges).filter((nodes) => nodes.some((node) => folders.includes(node)));
    return cycles.map((nodes) => {
      const arrows = nodes.flatMap((from) =>
        nodes.flatMap((to) => (edges.get(from)?.get(to) ?? []).slice(0, 2).map((example) => `      ${example}`)),
      );
      return `folder-cycle ${folder}: ${nodes.join(', ')}\n${arrows.join('\n')}`;
    });
  });
}

/** Each layer of the web UI imports from those below it only, and an extension never from another. */
const LAYERS = ['kit', 'app', 'features', 'extensions'];
function layerProblems(root, modules) {
  return importsWithin(root, modules).flatMap(({ from, to }) => {
    const [[layer, name], [wanted, other]] = [from, to].map((file) => file.slice(root.length).split('/'));
    const isUp = LAYERS.indexOf(wanted) > LAYERS.indexOf(layer);
    const isAside = layer === 'extensions' && wanted === layer && name !== other;
    return isUp || isAside ? [`layer ${from} → ${to}`] : [];
  });
}

const options = await extractOptions('./.dependency-cruiser.cjs');
const service = await cruise(['src', 'extensions', 'packages', 'test'], options, undefined, {
  tsConfig: extractTSConfig('./tsconfig.json'),
});
const rules = await format(service.output, { outputType: 'err' });
process.stdout.write(rules.output);

const web = await cruise(
  ['web/src'],
  { doNotFollow: { path: 'node_modules' }, tsPreCompilationDeps: true },
  { alias: { $lib: join(process.cwd(), 'web/src/lib') } },
);
const problems = [
  ...['src/', 'extensions/', 'packages/'].flatMap((root) => folderCycles(root, service.output.modules)),
  ...folderCycles('web/src/lib/', web.output.modules),
  ...layerProblems('web/src/lib/', web.output.modules),
  ...placeProblems(service.output.modules),
];
for (const problem of problems) console.error(`  error ${problem}`);
if (rules.exitCode !== 0 || problems.length > 0) process.exit(1);
console.log('✔ no cycle between folders, no new small file or folder, no import from a higher layer of the web UI');
