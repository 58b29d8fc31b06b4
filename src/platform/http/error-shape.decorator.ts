import { SetMetadata } from '@nestjs/common';

export const ERROR_SHAPE_METADATA = 'bellwether:error-shape';

/** Errors of this controller answer in OpenAI's shape instead of problem+json. */
export const OpenAiErrors = (): ClassDecorator & MethodDecorator => SetMetadata(ERROR_SHAPE_METADATA, 'openai');
