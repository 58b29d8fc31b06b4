import { type Caller, isOrganizationAdmin } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { ConnectorsService } from '../../connectors';
import { type ChecklistAnswers, MemberChecklists } from '../../organizations';
import type { FirstStepsDto } from './first-steps.dto';
import { FirstStepsRepository } from './first-steps.repository';

const MOST_NAMES = 3;

/** The checklist for a first assistant, from facts; a person's answers to it are kept with the membership. */
@Injectable()
export class FirstSteps {
  constructor(
    private readonly connectors: ConnectorsService,
    private readonly checklists: MemberChecklists,
    private readonly repository: FirstStepsRepository,
  ) {}

  async of(caller: Caller): Promise<FirstStepsDto> {
    const isConnected = await this.connectors.hasVendor(caller.organizationId);
    const isHelpless = !isConnected && !isOrganizationAdmin(caller);
    return {
      model_connected: isConnected,
      administrators: isHelpless ? await this.repository.administrators(caller.organizationId, MOST_NAMES) : [],
      steps: await this.stepsOf(caller, isConnected),
    };
  }

  async answer(caller: Caller, answers: ChecklistAnswers): Promise<void> {
    await this.checklists.answer(caller, answers);
  }

  private async stepsOf(caller: Caller, isConnected: boolean): Promise<FirstStepsDto['steps']> {
    if (caller.role === 'member' && !caller.systemAdmin) return null;
    const { quotations = false, closed = false, since = null } = await this.checklists.of(caller);
    if (closed) return null;
    const { material, assistant, asked, published } = await this.repository.deedsOf(caller, since);
    const steps = [
      { name: 'model' as const, done: isConnected || quotations },
      { name: 'material' as const, done: material },
      { name: 'assistant' as const, done: assistant },
      { name: 'ask' as const, done: asked },
      { name: 'publish' as const, done: published },
    ];
    if (!steps.every(({ done }) => done)) return steps;
    // A finished checklist stays finished: deleting an assistant later does not bring it back.
    await this.checklists.answer(caller, { closed: true });
    return null;
  }
}
