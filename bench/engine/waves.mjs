// No engine at all: layer after layer with Promise.all, stages taken by the letter.
import { layers } from './graphs.mjs';

export async function prepare() {
  return (graph, { instant }) => {
    const stages = layers(graph);
    const call = instant
      ? () => Promise.resolve('found')
      : (tool) => new Promise((resolve) => setTimeout(resolve, graph[tool].ms, 'found'));
    return async () => {
      const results = new Map();
      for (const stage of stages) {
        await Promise.all(stage.map(async (tool) => results.set(tool, await call(tool))));
      }
      return results.size;
    };
  };
}
