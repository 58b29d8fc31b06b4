// LangGraph.js: a compiled StateGraph, one node per tool, joins as edges from several nodes.
import { peer } from './peer.mjs';

export async function prepare() {
  const { Annotation, END, START, StateGraph } = await peer('@langchain/langgraph');
  const State = Annotation.Root({
    found: Annotation({ reducer: (all, more) => ({ ...all, ...more }), default: () => ({}) }),
  });
  return (graph, { instant }) => {
    const name = (tool) => `tool${tool}`;
    const built = new StateGraph(State);
    for (const [tool, { ms }] of graph.entries()) {
      const answer = { found: { [tool]: 'found' } };
      built.addNode(name(tool), () =>
        instant ? Promise.resolve(answer) : new Promise((resolve) => setTimeout(resolve, ms, answer)),
      );
    }
    for (const [tool, { needs }] of graph.entries()) {
      if (needs.length === 0) built.addEdge(START, name(tool));
      else if (needs.length === 1) built.addEdge(name(needs[0]), name(tool));
      else built.addEdge(needs.map(name), name(tool));
    }
    for (const tool of graph.keys()) {
      if (!graph.some(({ needs }) => needs.includes(tool))) built.addEdge(name(tool), END);
    }
    const compiled = built.compile();
    return async () => Object.keys((await compiled.invoke({ found: {} }, { recursionLimit: 100 })).found).length;
  };
}
