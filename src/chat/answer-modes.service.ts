import { AppError } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { RunnableAssistant } from '../assistants';
import { ConnectorsService } from '../connectors';

/**
 * Written by a model, quotations from the material, the prompt for the people who edit the assistant, or none while its
 * model is not configured.
 */
export const ANSWERS = ['written', 'quotations', 'prompt', 'none'] as const;
export type Answers = (typeof ANSWERS)[number];

export interface AnswerMode {
  readonly answers: Answers;
  /** Pictures reach what answers. */
  readonly vision: boolean;
}

/** Tells how an assistant answers now. Calls no vendor. */
@Injectable()
export class AnswerModes {
  constructor(private readonly connectors: ConnectorsService) {}

  async of({ organizationId, document }: RunnableAssistant): Promise<AnswerMode> {
    const { connector, llm, capabilities } = document;
    try {
      const { definition } = (await this.connectors.resolve(organizationId, { connector, llm })).connector;
      const { answers = 'written' } = definition;
      return { answers, vision: capabilities.vision && definition.capabilities.vision };
    } catch (error) {
      if (error instanceof AppError) return { answers: 'none', vision: false };
      throw error;
    }
  }
}

/** A prompt is no answer for people who may not read it. */
export const hidesAnswers = ({ answers }: AnswerMode, { access }: Pick<RunnableAssistant, 'access'>): boolean =>
  answers === 'prompt' && access === 'use';
