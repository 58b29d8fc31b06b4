import { SetMetadata } from '@nestjs/common';
import { describeErrors } from './describe-errors.decorator';
import { OpenAiErrorDto } from './open-ai-error.dto';

export const ERROR_SHAPE_METADATA = 'bellwether:error-shape';

/** Errors of this controller answer in OpenAI's shape instead of problem+json, and are documented so. */
export const OpenAiErrors = (): ClassDecorator => (controller) => {
  SetMetadata(ERROR_SHAPE_METADATA, 'openai')(controller);
  const described = describeErrors('application/json', OpenAiErrorDto);
  const { prototype } = controller as { readonly prototype?: object };
  for (const [name, method] of Object.entries(Object.getOwnPropertyDescriptors(prototype ?? {}))) {
    // Decorators of a class run after those of its methods, so this replaces what the routes said.
    if (name !== 'constructor' && typeof method.value === 'function') described(controller, name, method);
  }
};
