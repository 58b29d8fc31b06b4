import type { Source, SourcePassage } from '../../kernel';
import type { Recording, ShapedReport } from '../../runs';

/** A recorded run as its repetition needs it. */
export interface RecordedRun {
  readonly recording: Recording;
  /** Its prompt for readers: without the link tokens of the person who asked. */
  readonly shown: Recording['prompt'];
  readonly sources: readonly Source[];
  readonly passages: readonly SourcePassage[];
  /** Null when its prompt was filled but no report was kept. */
  readonly report: ShapedReport | null;
}
