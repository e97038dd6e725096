import { TextInput } from '@mantine/core';

type CodeInputProps = { code: string; onChange: (code: string) => void; error?: string };

export const CodeInput = ({ code, onChange, error }: CodeInputProps) => (
  <TextInput
    label="Code of your authenticator, or a recovery code"
    value={code}
    onChange={(event) => onChange(event.currentTarget.value)}
    error={error}
    inputMode="numeric"
    autoComplete="one-time-code"
    maxLength={40}
  />
);
