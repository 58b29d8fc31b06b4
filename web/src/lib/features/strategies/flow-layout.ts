import { type FlowEdge, type FlowGraph, type FlowNode, layersOf } from './flow-graph';

export interface Sizes {
  /** Width of a tool. */
  readonly width: number;
  readonly height: number;
  /** Width and height of what is no tool. */
  readonly end: number;
  /** Between layers. */
  readonly gap: number;
  /** Between nodes of one layer. */
  readonly space: number;
}

export interface Placed extends FlowNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Drawn extends FlowEdge {
  readonly id: string;
  /** SVG path data. */
  readonly path: string;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly isVertical: boolean;
  readonly nodes: readonly Placed[];
  readonly edges: readonly Drawn[];
}

/** A node, or the place where an edge passes a layer. */
interface Slot {
  readonly id: string;
  readonly node: FlowNode | null;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Chain {
  readonly edge: FlowEdge;
  /** Ids of slots, ends included. */
  readonly slots: readonly string[];
}

/** Layers in which edges that pass a layer have a place of their own there. */
function slotted(graph: FlowGraph): { layers: Slot[][]; chains: Chain[] } {
  const layers: Slot[][] = layersOf(graph).map((layer) => layer.map((node) => ({ id: node.id, node })));
  const layerOf = new Map(layers.flatMap((layer, at) => layer.map(({ id }) => [id, at] as const)));
  const chains = graph.edges.map((edge): Chain => {
    const passed: string[] = [];
    for (let at = (layerOf.get(edge.from) ?? 0) + 1; at < (layerOf.get(edge.to) ?? 0); at++) {
      const id = `${edge.from}>${edge.to}@${at}`;
      layers[at]?.push({ id, node: null });
      passed.push(id);
    }
    return { edge, slots: [edge.from, ...passed, edge.to] };
  });
  return { layers, chains };
}

/** Orders each layer by the middle of what leads to its nodes, so that few lines cross. */
function ordered(layers: Slot[][], chains: readonly Chain[]): Slot[][] {
  const sources = new Map<string, string[]>();
  for (const { slots } of chains)
    slots.forEach((id, at) => {
      const before = slots[at - 1];
      if (before !== undefined) sources.set(id, [...(sources.get(id) ?? []), before]);
    });
  const place = new Map<string, number>();
  return layers.map((layer) => {
    const middle = new Map(
      layer.map(({ id }, at) => {
        const known = (sources.get(id) ?? []).map((source) => place.get(source)).filter((at) => at !== undefined);
        return [id, known.length === 0 ? at : known.reduce((sum, value) => sum + value, 0) / known.length] as const;
      }),
    );
    const sorted = layer.slice().sort((a, b) => (middle.get(a.id) ?? 0) - (middle.get(b.id) ?? 0));
    sorted.forEach(({ id }, at) => place.set(id, at - (sorted.length - 1) / 2));
    return sorted;
  });
}

const PASSING = 10;

function sizeOf({ node }: Slot, { width, height, end }: Sizes): { width: number; height: number } {
  if (node === null) return { width: PASSING, height: PASSING };
  return node.kind === 'tool' ? { width, height } : { width: end, height: end };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Sizes of the layers along the flow and across it. */
function extent(layers: readonly Slot[][], sizes: Sizes, isVertical: boolean): { along: number[]; across: number[] } {
  const main = isVertical ? 'height' : 'width';
  const other = isVertical ? 'width' : 'height';
  return {
    along: layers.map((layer) => Math.max(...layer.map((slot) => sizeOf(slot, sizes)[main]))),
    across: layers.map(
      (layer) => sum(layer.map((slot) => sizeOf(slot, sizes)[other])) + sizes.space * (layer.length - 1),
    ),
  };
}

function boxesOf(layers: readonly Slot[][], sizes: Sizes, isVertical: boolean): Map<string, Box> {
  const { along, across } = extent(layers, sizes, isVertical);
  const broadest = Math.max(...across);
  const boxes = new Map<string, Box>();
  let main = 0;
  layers.forEach((layer, at) => {
    const depth = along[at] ?? 0;
    let other = (broadest - (across[at] ?? 0)) / 2;
    for (const slot of layer) {
      const { width, height } = sizeOf(slot, sizes);
      const [size, cross] = isVertical ? [height, width] : [width, height];
      // An edge goes straight through the layers that it passes.
      const long = slot.node === null ? depth : size;
      const start = main + (depth - long) / 2;
      boxes.set(
        slot.id,
        isVertical ? { x: other, y: start, width, height: long } : { x: start, y: other, width: long, height },
      );
      other += cross + sizes.space;
    }
    main += depth + sizes.gap;
  });
  return boxes;
}

const pair = (along: number, across: number, isVertical: boolean): string =>
  (isVertical ? [across, along] : [along, across]).map((value) => String(Math.round(value * 10) / 10)).join(' ');

/** Points where an edge enters and leaves a box, along the flow and across it. */
const passage = ({ x, y, width, height }: Box, isVertical: boolean): { start: number; end: number; middle: number } =>
  isVertical
    ? { start: y, end: y + height, middle: x + width / 2 }
    : { start: x, end: x + width, middle: y + height / 2 };

function pathOf(boxes: readonly Box[], isVertical: boolean): string {
  const passages = boxes.map((box) => passage(box, isVertical));
  return passages
    .map(({ start, end, middle }, at) => {
      const before = passages[at - 1];
      if (before === undefined) return `M${pair(end, middle, isVertical)}`;
      const half = (before.end + start) / 2;
      const curve = [
        pair(half, before.middle, isVertical),
        pair(half, middle, isVertical),
        pair(start, middle, isVertical),
      ];
      const through = at < passages.length - 1 ? `L${pair(end, middle, isVertical)}` : '';
      return `C${curve.join(' ')}${through}`;
    })
    .join('');
}

function drawn(graph: FlowGraph, sizes: Sizes, isVertical: boolean): Layout {
  const { layers: raw, chains } = slotted(graph);
  const layers = ordered(raw, chains);
  const { along, across } = extent(layers, sizes, isVertical);
  const boxes = boxesOf(layers, sizes, isVertical);
  const boxOf = (id: string): Box => boxes.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const length = sum(along) + sizes.gap * (layers.length - 1);
  const breadth = Math.max(...across);
  return {
    isVertical,
    width: isVertical ? breadth : length,
    height: isVertical ? length : breadth,
    nodes: graph.nodes.map((node) => ({ ...node, ...boxOf(node.id) })),
    edges: chains.map(({ edge, slots }) => ({
      ...edge,
      id: `${edge.from}>${edge.to}`,
      path: pathOf(slots.map(boxOf), isVertical),
    })),
  };
}

/**
 * Places a graph: from left to right where that fits into `room` pixels, else from top to bottom where that fits, else
 * whichever is narrower.
 */
export function layoutOf(graph: FlowGraph, sizes: Sizes, room: number): Layout {
  const across = drawn(graph, sizes, false);
  if (across.width <= room) return across;
  const down = drawn(graph, sizes, true);
  return down.width <= room || down.width <= across.width ? down : across;
}
