import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel';
import type { ChecklistAnswers } from '../storage/member.entity';
import { MemberRepository } from '../storage/member.repository';

/** People's answers to the checklist for a first assistant. */
@Injectable()
export class MemberChecklists {
  constructor(private readonly members: MemberRepository) {}

  async of({ organizationId, userId }: Principal): Promise<ChecklistAnswers> {
    return (await this.members.within(organizationId).find(userId))?.checklist ?? {};
  }

  async answer({ organizationId, userId }: Principal, answers: ChecklistAnswers): Promise<void> {
    await this.members.within(organizationId).noteChecklist(userId, answers);
  }
}
