/** Place of an item in a list that is not being changed: pixels from the top of the list. */
export interface Box {
  readonly top: number;
  readonly height: number;
}

/** The list with the item at `from` moved to `to`. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const result = [...items];
  const [item] = result.splice(from, 1);
  if (item !== undefined) result.splice(to, 0, item);
  return result;
}

/** Position at which an item is shown while the one at `from` hovers over position `to`. */
export function previewOf(index: number, from: number, to: number): number {
  if (index === from) return to;
  if (index > from && index <= to) return index - 1;
  if (index < from && index >= to) return index + 1;
  return index;
}

/**
 * Position that the item at `from` has reached when it is dragged by `distance`: it takes the place of a neighbour as
 * soon as its leading edge is over the neighbour's middle. Boxes are those before the drag, so that nothing flickers
 * when the list makes room.
 */
export function positionAt(boxes: readonly Box[], from: number, distance: number): number {
  const own = boxes[from];
  if (own === undefined) return from;
  const top = own.top + distance;
  const bottom = top + own.height;
  const middle = ({ top: start, height }: Box): number => start + height / 2;
  const before = boxes.slice(0, from).filter((box) => middle(box) <= top).length;
  const after = boxes.slice(from + 1).filter((box) => middle(box) < bottom).length;
  return before + after;
}

/** How far the place of the item at `from` moves when the list makes room for it at `to`. */
export function shiftOf(boxes: readonly Box[], from: number, to: number): number {
  const own = boxes[from];
  const target = boxes[to];
  if (own === undefined || target === undefined || from === to) return 0;
  return to > from ? target.top + target.height - (own.top + own.height) : target.top - own.top;
}

const EDGE = 72;
const FASTEST = 18;

/** Pixels to scroll in a frame while something is dragged at `y` of a window that is `height` high. */
export function scrollSpeed(y: number, height: number): number {
  if (y < EDGE) return -Math.ceil((FASTEST * (EDGE - Math.max(y, 0))) / EDGE);
  if (y > height - EDGE) return Math.ceil((FASTEST * (Math.min(y, height) - height + EDGE)) / EDGE);
  return 0;
}
