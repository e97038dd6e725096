import { expect, test } from 'bun:test';
import { viewChange } from './changes.ts';

type Change = Parameters<typeof viewChange>[0];

const names: Record<string, string> = { '1': 'rules', '2': 'Sailors' };
const shown = (field: string, to: Change['to']) => {
  const view = viewChange({ field, from: null, to }, (id) => names[id]);
  return view.kind === 'text' ? view.to : view.kind;
};

test('what an AutoMod rule looks for and does is shown in words', () => {
  const words = { keyword_filter: ['spam', 'scam'], regex_patterns: [], allow_list: ['ham'] };
  expect(shown('trigger_metadata', words)).toBe('words spam, scam; except ham');
  expect(shown('trigger_metadata', { mention_total_limit: 7 })).toBe('more than 7 mentions');
  const actions = [
    { type: 2, metadata: { channel_id: '1' } },
    { type: 1, metadata: { custom_message: 'Calm down' } },
    { type: 3, metadata: { duration_seconds: 60 } },
  ];
  expect(shown('actions', actions)).toBe(
    'report it in rules; block the message, saying “Calm down”; time out for 60 s',
  );
});

test('questions of the onboarding are shown with their answers and what these give', () => {
  const options = [{ title: 'A sailor', role_ids: ['2'], channel_ids: ['1'] }];
  expect(shown('prompts', [{ id: '9', title: 'Who are you?', options }])).toBe(
    'Who are you? – A sailor (Sailors, rules)',
  );
  expect(shown('prompts', [])).toBe('none');
});

test('channels of the welcome screen are shown with what is said of them', () => {
  const welcome = [{ channel_id: '1', description: 'Read them', emoji_id: null }];
  expect(shown('welcome_channels', welcome)).toBe('rules: Read them');
});

test('the place of an event and the volume of a sound are shown as a reader knows them', () => {
  expect(shown('entity_metadata', { location: 'The bay' })).toBe('The bay');
  expect(shown('volume', 0.5)).toBe('50%');
});
