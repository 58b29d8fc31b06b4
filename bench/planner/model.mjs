// A model behind an OpenAI-compatible address, asked with the planner's own words and read with its own distrust.

/** null when the environment names none. */
export function configuredModel(planning) {
  const { BENCH_PLANNER_URL: url, BENCH_PLANNER_MODEL: name, BENCH_PLANNER_KEY: key } = process.env;
  if (!url || !name) return null;
  const { planMessages, PLAN_SCHEMA, readModelPlan } = planning;
  return {
    name,
    /** Names of the tools that the model's plan runs, in its order. */
    async choose(query, texts) {
      const tools = texts.map((text, index) => factsOf(text, index));
      const decomposition = planning.decompose(query);
      const question = { query, earlier: '', decomposition, tools, maxSteps: 12 };
      const response = await fetch(`${url.replace(/\/$/, '')}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
        body: JSON.stringify({
          model: name,
          temperature: 0,
          messages: planMessages(question),
          response_format: { type: 'json_schema', json_schema: { name: 'tool_plan', schema: PLAN_SCHEMA } },
        }),
      });
      if (!response.ok) throw new Error(`the model answered ${response.status}`);
      const text = (await response.json()).choices[0].message.content ?? '';
      const { steps } = readModelPlan(parse(text), { ...question, problemsOf: () => 0 });
      return steps.map(({ facts }) => facts.text.name);
    },
  };
}

function parse(text) {
  try {
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  } catch {
    return {};
  }
}

const factsOf = (text, index) => ({
  tool: { index, plugin: text.name, placeholder: text.name, config: {}, on_error: 'continue' },
  definition: { name: text.name, aliases: [], capabilities: [], limitations: [], config_schema: {} },
  role: 'other',
  text,
  stats: null,
  timeoutMs: null,
});
