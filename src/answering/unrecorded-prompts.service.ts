import { type Caller, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { assertFeatures, AssistantsService } from '../assistants';
import { ClassicPipeline } from '../classic';
import { MultiToolPipeline } from '../multi-tool';
import { OrganizationsService } from '../organizations';
import { withinOrganization } from '../infrastructure/database';
import type { PreparedPrompt } from '../runs';

/** Prompts for an operator's comparison: no run is recorded, and the model of the answer is not asked. */
@Injectable()
export class UnrecordedPrompts {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly organizations: OrganizationsService,
    private readonly classic: ClassicPipeline,
    private readonly multiTool: MultiToolPipeline,
  ) {}

  /** The prompt for one question, with the account of its preparation. @throws AppError as a completion */
  async prompt(caller: Caller, assistantId: number, question: string, signal: AbortSignal): Promise<PreparedPrompt> {
    const assistant = await this.assistants.runnable(caller, assistantId);
    const { features } = await this.organizations.runtime(assistant.organizationId);
    assertFeatures(assistant.required, features);
    const pipeline = assistant.document.type === 'multi_tool' ? this.multiTool : this.classic;
    return withinOrganization(assistant.organizationId, () =>
      pipeline.prepare({
        assistant,
        caller,
        messages: [{ role: 'user', content: question }],
        metadata: {},
        run: { id: uuidv7(), signal, emit: () => undefined },
        stream: false,
        assistants: null,
        functions: [],
      }),
    );
  }
}
