import type { Completion } from '../answering';

/** Members of every chunk of one answer. */
export interface ChunkIdentity {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}

/** Identity of chunks that this service makes itself. */
export const ownIdentity = ({ run }: Pick<Completion, 'run'>, model: string): ChunkIdentity => ({
  id: `chatcmpl-${run.id}`,
  created: Math.floor(run.startedAt.getTime() / 1000),
  model,
});
