import { isJsonObject, type JsonObject } from '@bellwether/kernel';

/** Longest array: a large index must not allocate memory. */
const MAX_INDEX = 999;
/** Most skipped elements in all arrays together. Each becomes a null. */
const MAX_SKIPPED = 1_000;
const MAX_DEPTH = 32;
const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/gy;

type Container = Record<string, unknown> | unknown[];

/** Arguments that arrive value by value, each with its place (`$.items[1].name`). */
export class PartialArguments {
  // Without a prototype, so that `__proto__` is an ordinary name.
  private readonly root = Object.create(null) as Record<string, unknown>;

  private skipped = 0;

  /** False when the piece has no place that can be read. */
  add(piece: unknown): boolean {
    if (!isJsonObject(piece) || typeof piece['jsonPath'] !== 'string') return false;
    const path = stepsOf(piece['jsonPath']);
    const last = path?.pop();
    if (path === null || last === undefined) return false;
    const holder = this.holderOf(path, last);
    if (holder === null || !this.takes(holder, last)) return false;
    const slots = holder as Record<string | number, unknown>;
    const value = valueOf(piece);
    const before = slots[last];
    slots[last] = typeof before === 'string' && typeof value === 'string' ? before + value : value;
    return true;
  }

  text(): string {
    return JSON.stringify(this.root);
  }

  private takes(holder: Container, step: string | number): boolean {
    if (!Array.isArray(holder)) return typeof step === 'string';
    if (typeof step === 'string') return false;
    this.skipped += Math.max(0, step - holder.length);
    return this.skipped <= MAX_SKIPPED;
  }

  private holderOf(path: readonly (string | number)[], last: string | number): Container | null {
    let holder: Container = this.root;
    const following = [...path.slice(1), last];
    for (const [position, step] of path.entries()) {
      if (!this.takes(holder, step)) return null;
      const slots = holder as Record<string | number, unknown>;
      const made: Container = typeof following[position] === 'number' ? [] : (Object.create(null) as Container);
      const next = (slots[step] ??= made);
      if (typeof next !== 'object' || next === null) return null;
      holder = next as Container;
    }
    return holder;
  }
}

/** Null for an invalid or too deep path. */
function stepsOf(path: string): (string | number)[] | null {
  if (!path.startsWith('$') || path.length > 2_000) return null;
  const steps: (string | number)[] = [];
  let end = 1;
  for (const match of path.slice(1).matchAll(STEP)) {
    const [whole, name, index, quoted] = match;
    end += whole.length;
    if (index !== undefined && Number(index) > MAX_INDEX) return null;
    steps.push(index === undefined ? (name ?? (quoted ?? '').replace(/\\(.)/g, '$1')) : Number(index));
  }
  return end === path.length && steps.length > 0 && steps.length <= MAX_DEPTH ? steps : null;
}

const valueOf = (piece: JsonObject): unknown =>
  piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue'] ?? null;
