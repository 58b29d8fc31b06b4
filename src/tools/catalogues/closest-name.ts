import { distance } from 'fastest-levenshtein';

const MAX_LENGTH = 64;

/** The name most like a misspelt one, or null when more than half of every name would have to change. */
export function closestName(name: string, known: readonly string[]): string | null {
  const wanted = name.toLowerCase();
  if (wanted === '' || wanted.length > MAX_LENGTH) return null;
  let best: string | null = null;
  let bestDistance = Infinity;
  for (const candidate of known) {
    const inside = wanted.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate));
    const changes = inside ? 0.5 : distance(wanted, candidate);
    if (changes < bestDistance && changes <= Math.max(wanted.length, candidate.length) / 2) {
      best = candidate;
      bestDistance = changes;
    }
  }
  return best;
}
