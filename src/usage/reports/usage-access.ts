import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../../assistants';
import { AppError, type Caller, isOrganizationAdmin, notFound } from '../../kernel';
import { OrganizationsService } from '../../organizations';

export interface UsageView {
  readonly organizationId: string;
  /** People and keys are shown with pseudonyms. */
  readonly pseudonymous: boolean;
}

/** Decides who sees which usage. */
@Injectable()
export class UsageAccess {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly assistants: AssistantsService,
  ) {}

  /**
   * Administrators see all, others the usage of an assistant that they may edit, without names.
   * @throws {AppError} `not_found`, `forbidden`
   */
  async view(
    caller: Caller,
    slug: string,
    asked: { readonly assistant?: number; readonly pseudonymous: boolean },
  ): Promise<UsageView> {
    const { id: organizationId } = await this.organizations.get(caller, slug);
    const seesAll = isOrganizationAdmin(caller) && caller.assistantIds === null;
    if (!seesAll) await this.assertOwnAssistant(caller, organizationId, asked.assistant);
    const { privacy } = await this.organizations.runtime(organizationId);
    return { organizationId, pseudonymous: !seesAll || asked.pseudonymous || privacy.usage_people === 'pseudonymous' };
  }

  private async assertOwnAssistant(caller: Caller, organizationId: string, id: number | undefined): Promise<void> {
    if (id === undefined) {
      throw new AppError('forbidden', 'Only administrators see all usage; name one of your assistants in `assistant`');
    }
    if (organizationId !== caller.organizationId) throw notFound('Assistant');
    await this.assistants.assertConfigurable(caller, id);
  }
}
