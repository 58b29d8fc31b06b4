import { bucketOf, mergeBuckets, percentile } from './duration-histogram';
import type { CountedCall, ToolCounts, ToolStats } from './tool-counts.types';

export const noCounts = (): ToolCounts => ({
  calls: 0,
  failures: 0,
  retries: 0,
  cacheHits: 0,
  fallbacks: 0,
  durationSum: 0,
  durations: [],
  confidenceSum: 0,
  confidences: 0,
});

export function countCall(counts: ToolCounts, call: CountedCall): void {
  if (call.cached) {
    counts.cacheHits += 1;
    return;
  }
  counts.calls += 1;
  counts.retries += call.retries;
  if (call.failed) counts.failures += 1;
  if (call.fellBack) counts.fallbacks += 1;
  if (call.durationMs !== null) {
    const bucket = bucketOf(call.durationMs);
    while (counts.durations.length <= bucket) counts.durations.push(0);
    counts.durations[bucket] = (counts.durations[bucket] ?? 0) + 1;
    counts.durationSum += call.durationMs;
  }
  if (call.confidence !== null) {
    counts.confidenceSum += call.confidence;
    counts.confidences += 1;
  }
}

export const mergeCounts = (left: ToolCounts, right: ToolCounts): ToolCounts => ({
  calls: left.calls + right.calls,
  failures: left.failures + right.failures,
  retries: left.retries + right.retries,
  cacheHits: left.cacheHits + right.cacheHits,
  fallbacks: left.fallbacks + right.fallbacks,
  durationSum: left.durationSum + right.durationSum,
  durations: mergeBuckets(left.durations, right.durations),
  confidenceSum: left.confidenceSum + right.confidenceSum,
  confidences: left.confidences + right.confidences,
});

/** null as long as nothing ran. */
export function statsOf(counts: ToolCounts): ToolStats | null {
  if (counts.calls === 0) return null;
  const timed = counts.durations.reduce((sum, count) => sum + count, 0);
  return {
    calls: counts.calls,
    failure_rate: counts.failures / counts.calls,
    avg_ms: timed === 0 ? null : Math.round((counts.durationSum / timed) * 100) / 100,
    p95_ms: percentile(counts.durations, 0.95),
    confidence: counts.confidences === 0 ? null : counts.confidenceSum / counts.confidences,
  };
}
