import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { callerOf, modelNotFound, readChatRequestWithModel } from '../../answering';
import { AppError } from '../../kernel';
import type { BellwetherRequest } from '../../infrastructure/http';
import { AssistantModels } from '../assistant-models.service';
import { CompletionsService } from './completions.service';
import { withMessages } from './prompt-body';

/** Answers completions whose `model` names the assistant. */
@Injectable()
export class ModelCompletions {
  constructor(
    private readonly completions: CompletionsService,
    private readonly names: AssistantModels,
  ) {}

  /** Rejects only before the first byte. @throws {AppError} `model_not_found` and as `AssistantModels.idOf` */
  async answer(request: BellwetherRequest, response: Response): Promise<void> {
    const caller = callerOf(request);
    const chat = readChatRequestWithModel(withMessages(request.body));
    try {
      await this.completions.answer(caller, await this.names.idOf(caller, chat.model), chat, response);
    } catch (error) {
      throw error instanceof AppError && error.code === 'not_found' ? modelNotFound(chat.model) : error;
    }
  }
}
