import { AppError, type JsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { ConnectorsService, type ResolvedModel } from '../../connectors';
import { ImagesService, imagesMarkdown } from '../../files';
import {
  type FunctionContext,
  type FunctionDeclaration,
  type FunctionOutput,
  type FunctionPlugin,
  type OfferContext,
  type ToolDefinition,
  ToolFailure,
} from '../contract';

interface ImageConfig extends JsonObject {
  readonly model?: string;
}

interface ImageArguments extends JsonObject {
  readonly prompt: string;
  readonly size?: string;
}

const SIZES = ['1024x1024', '1024x1536', '1536x1024', '1024x1792', '1792x1024'] as const;

const DECLARATION: FunctionDeclaration = {
  name: 'generate_image',
  description:
    'Makes an image from a description and returns it as Markdown. Put the Markdown into the answer unchanged to show the image.',
  parameters: {
    type: 'object',
    properties: {
      prompt: { type: 'string', minLength: 1, maxLength: 4_000, description: 'What the image shall show, in detail.' },
      size: { type: 'string', enum: [...SIZES], description: 'Width and height in pixels; decides the shape.' },
    },
    required: ['prompt'],
    additionalProperties: false,
  },
};

/** Lets a text model create images through another connector of the organization. */
@Injectable()
export class ImageFunction implements FunctionPlugin<ImageConfig> {
  readonly definition: ToolDefinition = {
    name: 'image',
    aliases: ['image_gen'],
    display_name: 'Image generation',
    description:
      'Lets the model create an image from a description. It needs an image model in your organization’s settings.',
    texts: {
      es: {
        name: 'Creación de imágenes',
        about:
          'Permite que el modelo cree una imagen a partir de una descripción. Necesita un modelo de imágenes en la configuración de su organización.',
      },
      ca: {
        name: 'Creació d’imatges',
        about:
          'Permet que el model creï una imatge a partir d’una descripció. Necessita un model d’imatges a la configuració de la vostra organització.',
      },
      eu: {
        name: 'Irudiak sortzea',
        about:
          'Ereduari deskribapen batetik irudi bat sortzeko aukera ematen dio. Irudi-eredu bat behar du zure erakundearen ezarpenetan.',
      },
    },
    placeholder: null,
    category: 'utilities',
    version: '1.0.0',
    kind: 'function',
    function_name: DECLARATION.name,
    icon: 'image',
    allow_multiple: false,
    config_schema: {
      type: 'object',
      properties: {
        model: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'Image model. Default: the image model of the provider.',
        },
      },
      additionalProperties: false,
    },
    parameters: DECLARATION.parameters,
    examples: [
      {
        query: 'Draw a plant cell.',
        parameters: {},
        expected_result: '![Generated image](https://…/api/v1/images?link=…)',
      },
    ],
    capabilities: ['image_generation'],
    limitations: ['The organization needs a provider that makes images.'],
    cost: { unit: 'request', estimate: 1 },
  };
  /** Creating an image takes longer than the usual limit of functions. */
  readonly timeoutMs = 90_000;

  constructor(
    private readonly connectors: ConnectorsService,
    private readonly images: ImagesService,
  ) {}

  async offer(config: ImageConfig, { owner }: OfferContext): Promise<readonly FunctionDeclaration[]> {
    return (await this.painter(owner.organizationId, config)) === null ? [] : [DECLARATION];
  }

  async call(_: string, args: JsonObject, config: ImageConfig, context: FunctionContext): Promise<FunctionOutput> {
    const { prompt, size } = args as ImageArguments;
    const painter = await this.painter(context.owner.organizationId, config);
    if (painter === null) throw new ToolFailure('tool.unavailable', 'No image model is configured');
    context.progress('making an image');
    const { connector, target, model } = painter;
    const params = size === undefined ? {} : { size };
    const request = { model, messages: [{ role: 'user' as const, content: prompt }], params };
    const { signal, runId } = context;
    const answer = await connector.complete(request, target, { signal, runId, emit: () => undefined });
    const images = (answer.images ?? []).map(({ bytes }) => bytes);
    const { usage } = answer;
    if (images.length === 0)
      throw new ToolFailure('tool.failed', 'The image model made no image of this description', { usage });
    const saved = await this.images.save(context, context.caller, images);
    return { content: imagesMarkdown(saved), usage };
  }

  /** The first configured connector for image models only (`modelPattern`): other default models write text. */
  private async painter(organizationId: string, { model }: ImageConfig): Promise<ResolvedModel | null> {
    const able = this.connectors
      .definitions()
      .filter(({ capabilities, modelPattern }) => capabilities.image_generation && modelPattern !== undefined);
    for (const { name } of able) {
      try {
        return await this.connectors.resolve(organizationId, { connector: name, llm: model ?? null });
      } catch (error) {
        if (!(error instanceof AppError && error.code === 'connector_not_configured')) throw error;
      }
    }
    return null;
  }
}
