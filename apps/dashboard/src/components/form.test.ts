import { expect, test } from 'bun:test';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type FormEvent, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { useApiForm } from './form.tsx';
import { useAction } from './use-action.ts';

const client = new QueryClient();
const render = (content: ReactNode) =>
  renderToStaticMarkup(createElement(QueryClientProvider, { client }, content));

test('a form in a dialog does not submit the form around it', async () => {
  const sent: string[] = [];
  const submits: ((event: FormEvent<HTMLFormElement>) => void)[] = [];
  const Form = ({ name, children }: { name: string; children?: ReactNode }) => {
    submits.unshift(useApiForm({}, async () => sent.push(name)).submit);
    return children;
  };
  render(createElement(Form, { name: 'page' }, createElement(Form, { name: 'dialog' })));
  expect(submits).toHaveLength(2);
  // As React hands it on, from the inside to the outside.
  const event = new Event('submit', { cancelable: true });
  // The part of React's event that a form looks at.
  const submitted = event as unknown as FormEvent<HTMLFormElement>;
  for (const submit of submits) if (!event.cancelBubble) submit(submitted);
  await Bun.sleep(0);
  expect({ sent, isHandled: event.defaultPrevented }).toEqual({
    sent: ['dialog'],
    isHandled: true,
  });
});

test('what an action has changed is outdated before whoever did it goes on', async () => {
  client.setQueryData(['panels'], []);
  const isOutdated = Promise.withResolvers<boolean | undefined>();
  const onSuccess = () => isOutdated.resolve(client.getQueryState(['panels'])?.isInvalidated);
  const Page = () => {
    useAction(async () => undefined, { invalidates: [['panels']], onSuccess }).mutate();
    return null;
  };
  render(createElement(Page));
  expect(await isOutdated.promise).toBe(true);
});
