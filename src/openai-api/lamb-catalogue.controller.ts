import type { Caller, JsonObject } from '@bellwether/kernel';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type ConnectorDto, ConnectorsService } from '../connectors';
import { type StrategyDefinition, StrategyCatalogue } from '../orchestrators';
import { Access, CurrentCaller, OpenAiErrors } from '../infrastructure/http';
import { ProcessorCatalogue } from '../processors';
import { type PresentedTool, ToolsService } from '../tools';
import { LambConfigValidityDto, LambConnectorDto, LambListDto } from './model.dto';

const anyObject = { schema: { type: 'object', additionalProperties: true } };

/** LAMB's clients read a function's `function_name`, the name for the model, beside its name. */
const presentForLamb = (tool: PresentedTool): JsonObject =>
  tool.kind === 'function' ? { ...tool, function_name: tool.function_name ?? tool.name } : { ...tool };

/** An organization that lists no models allows all: LAMB's forms then offer the one that answers by default. */
const modelsOf = ({ models, default_model }: ConnectorDto): string[] =>
  models.length > 0 || default_model === null ? [...models] : [default_model];

/** LAMB's catalogue routes, with the data of our own. */
@ApiTags('LAMB')
@ApiExtraModels(LambConnectorDto)
@OpenAiErrors()
@Controller('lamb/v1/completions')
export class LambCatalogueController {
  constructor(
    private readonly tools: ToolsService,
    private readonly processors: ProcessorCatalogue,
    private readonly strategies: StrategyCatalogue,
    private readonly connectors: ConnectorsService,
  ) {}

  @Get('list')
  @Access({ scope: 'read', summary: 'Names of processors and connectors, definitions of tools' })
  async list(@CurrentCaller() caller: Caller): Promise<LambListDto> {
    const connectors = await this.connectors.list(caller);
    await this.tools.countedIn(caller.organizationId);
    return {
      prompt_processors: this.processors.promptDefinitions().map(({ name }) => name),
      connectors: Object.fromEntries(
        connectors.map((each) => [each.name, { name: each.name, available_llms: modelsOf(each) }]),
      ),
      rag_processors: this.processors.ragDefinitions().map(({ name }) => name),
      tools: this.tools.list({}, caller.organizationId).map(presentForLamb),
    };
  }

  @Get('tools')
  @Access({ scope: 'read', summary: 'Tools that assistants can use' })
  @ApiOkResponse(anyObject)
  async listTools(
    @CurrentCaller() { organizationId }: Caller,
    @Query('capability') capability?: string,
  ): Promise<{ tools: readonly JsonObject[]; count: number }> {
    await this.tools.countedIn(organizationId);
    const tools = this.tools.list({ capability }, organizationId).map(presentForLamb);
    return { tools, count: tools.length };
  }

  @Get('tools/:name')
  @Access({ scope: 'read', summary: 'One tool' })
  @ApiOkResponse(anyObject)
  async getTool(@CurrentCaller() { organizationId }: Caller, @Param('name') name: string): Promise<JsonObject> {
    await this.tools.countedIn(organizationId);
    return presentForLamb(this.tools.get(name, undefined, organizationId));
  }

  @Post('tools/:name/validate')
  @HttpCode(200)
  @Access({ scope: 'read', summary: 'Check a config against the schema of a tool' })
  @ApiBody(anyObject)
  validate(@Param('name') name: string, @Body() config: unknown): LambConfigValidityDto {
    const problems = this.tools.validate(name, config);
    const errors = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    return { valid: errors.length === 0, errors };
  }

  @Get('orchestrators')
  @Access({ scope: 'read', summary: 'Strategies of multi-tool assistants' })
  @ApiOkResponse(anyObject)
  orchestrators(): { orchestrators: readonly StrategyDefinition[] } {
    return { orchestrators: this.strategies.definitions() };
  }
}
