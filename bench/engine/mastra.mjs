// Mastra: a committed workflow. Its graphs are stages of parallel steps, so each layer is one stage.
import { layers } from './graphs.mjs';
import { peer } from './peer.mjs';

export async function prepare() {
  const { createStep, createWorkflow } = await peer('@mastra/core/workflows');
  const { z } = await peer('zod');
  const any = z.any();
  return (graph, { instant }) => {
    const stepOf = (tool) =>
      createStep({
        id: `tool${tool}`,
        inputSchema: any,
        outputSchema: any,
        execute: () =>
          instant
            ? Promise.resolve({ found: 1 })
            : new Promise((resolve) => setTimeout(resolve, graph[tool].ms, { found: 1 })),
      });
    let workflow = createWorkflow({ id: 'graph', inputSchema: any, outputSchema: any });
    for (const layer of layers(graph)) {
      const steps = layer.map(stepOf);
      workflow = steps.length === 1 ? workflow.then(steps[0]) : workflow.parallel(steps);
    }
    workflow.commit();
    return async () => {
      const run = await workflow.createRun();
      const { status, steps } = await run.start({ inputData: {} });
      if (status !== 'success') throw new Error(`Mastra ended as ${status}`);
      return Object.keys(steps).filter((id) => id.startsWith('tool')).length;
    };
  };
}
