import { t } from '$lib/kit/i18n/i18n.svelte';
import { entryName } from '$lib/features/tools/entry-name';
import { knownNames } from '$lib/features/tools/names.svelte';
import { toolName } from '$lib/features/tools/texts';
import { stateOfNode } from './flow-crowds';
import { type FlowGraph, type FlowNode, type FlowStates, layersOf } from './flow-graph';

/** Label or content; the kind for several that are drawn as one. */
export function nameOfNode({ tool, members }: FlowNode): string {
  if (members !== undefined) return toolName({ name: tool?.plugin ?? '', kind: 'pipeline' });
  return tool === null ? '' : entryName(tool, knownNames);
}

function nodeText(node: FlowNode, states: FlowStates): string {
  if (node.kind !== 'tool') return t(`strategies.flow.${node.kind}`);
  const name = nameOfNode(node);
  const counted = node.members === undefined ? name : `${name} × ${node.members.length}`;
  const placed = node.placeholder === null ? counted : `${counted} {${node.placeholder}}`;
  const state = stateOfNode(node, states);
  const notes = [
    node.isConditional ? t('strategies.flow.maybe') : null,
    state === null ? null : t(`strategies.state.${state}`),
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
