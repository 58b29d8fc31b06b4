import { t } from '$lib/i18n/i18n.svelte';
import { toolName } from '$lib/tools/texts';
import { type FlowGraph, type FlowNode, type FlowStates, layersOf } from './flow-graph';

function nodeText(node: FlowNode, states: FlowStates): string {
  if (node.kind !== 'tool') return t(`strategies.flow.${node.kind}`);
  const name = toolName({ name: node.plugin ?? '', kind: 'pipeline' });
  const placed = node.placeholder === null ? name : `${name} {${node.placeholder}}`;
  const state = node.index === null ? undefined : states[node.index];
  const notes = [
    node.isConditional ? t('strategies.flow.maybe') : null,
    state === undefined ? null : t(`strategies.state.${state}`),
  ].filter((note) => note !== null);
  return notes.length === 0 ? placed : `${placed} (${notes.join(', ')})`;
}

/** The diagram in words: what runs side by side is joined by commas, what follows stands behind an arrow. */
export const describeFlow = (graph: FlowGraph, states: FlowStates = {}): string =>
  t('strategies.flow.described', {
    flow: layersOf(graph)
      .map((layer) => layer.map((node) => nodeText(node, states)).join(', '))
      .join(' → '),
  });
