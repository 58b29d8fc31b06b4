import { randomInt } from 'node:crypto';
import { definePlugin, ToolFailure } from '@bellwether/plugin';

/** @import { FunctionPlugin, ToolDefinition } from '@bellwether/plugin' */

const MOST_DICE = 20;

/**
 * Lets the model roll dice.
 * @implements {FunctionPlugin<{ sides: number }>}
 */
export class DiceFunction {
  /** @type {ToolDefinition} */
  definition = {
    name: 'dice',
    aliases: [],
    display_name: 'Dice',
    description: 'Lets the model roll dice.',
    texts: {
      es: { name: 'Dados', about: 'Permite al modelo tirar dados.' },
      ca: { name: 'Daus', about: 'Permet al model tirar daus.' },
      eu: { name: 'Dadoak', about: 'Ereduari dadoak botatzen uzten dio.' },
    },
    placeholder: null,
    category: 'custom',
    version: '1.0.0',
    kind: 'function',
    function_name: 'roll_dice',
    icon: 'wrench',
    allow_multiple: false,
    config_schema: {
      type: 'object',
      properties: { sides: { type: 'integer', title: 'Sides', minimum: 2, maximum: 100, default: 6 } },
      additionalProperties: false,
    },
    parameters: {},
    examples: [{ query: 'Roll two dice.', parameters: { sides: 6 }, expected_result: '[3,5]' }],
    capabilities: ['chance'],
    limitations: [`Rolls ${MOST_DICE} dice at most.`],
    cost: { unit: 'none', estimate: 0 },
  };

  /** @type {FunctionPlugin<{ sides: number }>['offer']} */
  async offer({ sides }) {
    const parameters = {
      type: 'object',
      properties: { count: { type: 'integer', description: 'Number of dice' } },
      required: ['count'],
      additionalProperties: false,
    };
    return [{ name: 'roll_dice', description: `Rolls dice with ${sides} sides.`, parameters }];
  }

  /** @type {FunctionPlugin<{ sides: number }>['call']} */
  async call(_name, args, { sides }) {
    const count = Number(args.count);
    if (count < 1 || count > MOST_DICE) throw new ToolFailure('tool.limit', `1 to ${MOST_DICE} dice can be rolled`);
    return { content: JSON.stringify(Array.from({ length: count }, () => randomInt(1, sides + 1))) };
  }
}

export default definePlugin({ functions: [DiceFunction] });
