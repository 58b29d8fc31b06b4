// What the engines run: tools that wait a given time, and which of them each one waits for.

const tools = (...list) => list.map(([ms, ...needs]) => ({ ms, needs }));
const EQUAL = 50;

/** Three one after another. */
const chain = tools([EQUAL], [EQUAL, 0], [EQUAL, 1]);

/** Eight at once. */
const wide = tools(...Array.from({ length: 8 }, () => [EQUAL]));

/** Twelve in four layers, none of which is complete: nearly every tool waits for two others. */
const dag = tools(
  [EQUAL],
  [EQUAL],
  [EQUAL],
  [EQUAL],
  [EQUAL, 0, 1],
  [EQUAL, 1, 2],
  [EQUAL, 2, 3],
  [EQUAL, 3],
  [EQUAL, 4, 5],
  [EQUAL, 5, 6],
  [EQUAL, 6, 7],
  [EQUAL, 8, 9, 10],
);

/** Three chains whose slow tool stands in another place each, and what puts them together: in waves every layer is slow. */
const skewed = tools([100], [55, 0], [55, 1], [55], [100, 3], [55, 4], [55], [55, 6], [100, 7], [10, 2, 5, 8]);

export const GRAPHS = { chain, wide, dag, skewed };

/** Milliseconds of the longest way through. */
export function criticalPath(graph) {
  const ends = [];
  for (const { ms, needs } of graph) ends.push(ms + Math.max(0, ...needs.map((other) => ends[other])));
  return Math.max(...ends);
}

/** Milliseconds when each layer waits for the whole one before it. */
export function inWaves(graph) {
  return layers(graph).reduce((all, layer) => all + Math.max(...layer.map((tool) => graph[tool].ms)), 0);
}

export function layers(graph) {
  const depth = [];
  for (const { needs } of graph) depth.push(1 + Math.max(-1, ...needs.map((other) => depth[other])));
  return [...new Set(depth)].map((at) => [...graph.keys()].filter((tool) => depth[tool] === at));
}
