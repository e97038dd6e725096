import { Box, Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { ErrorNote } from '../../components/error-note.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Note, PageHead, Section, TextLink } from '../../components/page.tsx';
import { isNotFound } from '../../labels/errors.ts';
import { deviceAuthorizationQuery } from '../../queries/device.ts';
import { ReviewRequest } from './review-request.tsx';

type Decision = 'approved' | 'denied';

/** Where a program without a browser sends its owner: to look at what it asks for, and to decide. */
export const Device = () => {
  const [address, setAddress] = useSearchParams();
  const code = address.get('code')?.trim() ?? '';
  const [decided, setDecided] = useState<{ code: string; decision: Decision } | null>(null);
  // The page stays while its address changes: what was decided about one code says nothing about another.
  const decision = decided?.code === code ? decided.decision : null;
  const chooseCode = (chosen: string) => setAddress({ code: chosen });
  return (
    <Box maw={760}>
      <PageHead
        title="Connect a program"
        description="A program such as the command line asks for a key of your account, with a code that it shows."
      />
      {decision && <Decided decision={decision} />}
      {!decision && code === '' && <CodeSection onCode={chooseCode} />}
      {!decision && code !== '' && (
        <Request
          key={code}
          code={code}
          onCode={chooseCode}
          onDecided={(made) => setDecided({ code, decision: made })}
        />
      )}
    </Box>
  );
};

type CodeProps = { onCode: (code: string) => void };

const CodeSection = ({ onCode }: CodeProps) => {
  const [typed, setTyped] = useState('');
  return (
    <Section title="Enter the code" note="Eight letters, as your program shows them.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onCode(typed.trim());
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Code"
            placeholder="XXXX-XXXX"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={64}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            flex="1 1 200px"
            maw={280}
          />
          <Button type="submit" disabled={typed.trim() === ''}>
            Continue
          </Button>
        </Group>
      </form>
    </Section>
  );
};

type RequestProps = CodeProps & { code: string; onDecided: (decision: Decision) => void };

const Request = ({ code, onCode, onDecided }: RequestProps) => {
  const request = useQuery(deviceAuthorizationQuery(code));
  if (request.error && !request.data) {
    return (
      <Stack gap="lg">
        {isNotFound(request.error) ? (
          <Note tone="danger" title="No program waits with this code">
            Compare it with what your program shows. A code is valid for ten minutes.
          </Note>
        ) : (
          <ErrorNote error={request.error} title="There is nothing to decide under this code" />
        )}
        <CodeSection onCode={onCode} />
      </Stack>
    );
  }
  return (
    <Loaded query={request} height={420}>
      {(found) => <ReviewRequest request={found} onDecided={onDecided} />}
    </Loaded>
  );
};

const Decided = ({ decision }: { decision: Decision }) => (
  <div role="status">
    {decision === 'approved' ? (
      <Note tone="success" title="Approved. You can close this page.">
        Your program gets its key within a few seconds. You find it under{' '}
        <TextLink to="/api-keys">API keys</TextLink>, where you can revoke it.
      </Note>
    ) : (
      <Note title="Denied. You can close this page.">
        The program gets no key. If you did not start it yourself, there is nothing more to do.
      </Note>
    )}
  </div>
);
