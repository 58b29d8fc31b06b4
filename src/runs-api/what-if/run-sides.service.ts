import { Injectable } from '@nestjs/common';
import { AppError, type Caller } from '../../kernel';
import { SourceLinks } from '../../knowledge-bases';
import { RunsService } from '../../runs';
import { answerForOthers } from '../access/foreign-events';
import { QuestionReadings } from '../access/question-readings.service';
import { RunAccess } from '../access/run-access.service';
import type { ComparedRun } from './what-if.types';

/** Reads runs for comparisons, with the rights of the reader. Reading those of others is audited. */
@Injectable()
export class RunSides {
  constructor(
    private readonly access: RunAccess,
    private readonly runs: RunsService,
    private readonly links: SourceLinks,
    private readonly readings: QuestionReadings,
  ) {}

  /** Null for no id, and when the run is deleted or out of the reader's reach. */
  async find(caller: Caller, id: string | null): Promise<ComparedRun | null> {
    if (id === null) return null;
    try {
      const { disclosure } = await this.access.seen(caller, id);
      const record = await this.runs.find(caller.organizationId, id);
      if (record === null) return null;
      await this.readings.ofOne(caller, record);
      const recording = disclosure === 'whole' ? await this.runs.recording(record) : 'deleted';
      // The links that the model wrote carry the asker's rights.
      const answer = typeof recording === 'string' ? null : answerForOthers(recording.answer, this.links);
      return { record, status: record.status, answer };
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return null;
      throw error;
    }
  }
}
