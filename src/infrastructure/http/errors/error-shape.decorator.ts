import { SetMetadata } from '@nestjs/common';
import { describeErrors } from './describe-errors.decorator';
import { OpenAiErrorDto } from './open-ai-error.dto';

export const ERROR_SHAPE_METADATA = 'bellwether:error-shape';

/** Answers errors of this controller in OpenAI's shape instead of problem+json, and documents it. */
export const OpenAiErrors = (): ClassDecorator => (controller) => {
  SetMetadata(ERROR_SHAPE_METADATA, 'openai')(controller);
  const described = describeErrors('application/json', OpenAiErrorDto);
  const { prototype } = controller as { readonly prototype?: object };
  for (const [name, method] of Object.entries(Object.getOwnPropertyDescriptors(prototype ?? {}))) {
    // Class decorators run after method decorators, so this replaces the documentation of the routes.
    if (name !== 'constructor' && typeof method.value === 'function') described(controller, name, method);
  }
};
