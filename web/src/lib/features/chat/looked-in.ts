import type { Source } from '$lib/features/run/run-events';
import { titleOf } from '$lib/features/run/sources';

/** Names of the knowledge bases, rubrics and files behind an answer, each once. */
export const lookedIn = (sources: readonly Source[]): readonly string[] => [
  ...new Set(
    sources
      .map((source) => source.knowledge_base?.name ?? source.title ?? titleOf(source))
      .filter((name) => name !== ''),
  ),
];
