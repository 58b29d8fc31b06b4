// Pages have a doctype. happy-dom does not say so, and KaTeX would refuse to draw the formulas of a test that is still on.
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' });
