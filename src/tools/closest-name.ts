const MAX_LENGTH = 64;

/** The name most like a misspelt one, or null when none is near: more than half of it would have to change. */
export function closestName(name: string, known: readonly string[]): string | null {
  const wanted = name.toLowerCase();
  if (wanted === '' || wanted.length > MAX_LENGTH) return null;
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const inside = wanted.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate));
    const distance = inside ? 0.5 : editDistance(wanted, candidate);
    if (distance < bestDistance && distance <= Math.max(wanted.length, candidate.length) / 2) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
