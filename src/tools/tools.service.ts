import { Injectable } from '@nestjs/common';
import { AppError, type Problem } from '../kernel';
import { presentTool, type PresentedTool } from './present-tool';
import { ToolCatalogue } from './tool-catalogue';

/** What the catalogue doors answer; the house's and LAMB's door share it. */
@Injectable()
export class ToolsService {
  constructor(private readonly catalogue: ToolCatalogue) {}

  /** All tools, or those with a capability. */
  list(capability?: string): readonly PresentedTool[] {
    return this.catalogue
      .definitions()
      .filter(({ capabilities }) => capability === undefined || capabilities.includes(capability))
      .map(presentTool);
  }

  /** By name or alias; `not_found` names the closest match. */
  get(name: string): PresentedTool {
    const tool = this.catalogue.find(name);
    if (tool === undefined) throw this.unknown(name);
    return presentTool(tool.definition);
  }

  /** Everything the tool's schema has against a config. `{"config": {…}}` is taken for the config inside. */
  validate(name: string, body: unknown): readonly Problem[] {
    if (this.catalogue.find(name) === undefined) throw this.unknown(name);
    return this.catalogue.validate(name, unwrap(body));
  }

  private unknown(name: string): AppError {
    const closest = this.catalogue.closest(name);
    const hint = closest === null ? '' : ` Did you mean '${closest}'?`;
    return new AppError('not_found', `There is no tool named '${name.slice(0, 64)}'.${hint}`);
  }
}

function unwrap(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const members = Object.entries(body);
  return members.length === 1 && members[0]?.[0] === 'config' ? members[0][1] : body;
}
