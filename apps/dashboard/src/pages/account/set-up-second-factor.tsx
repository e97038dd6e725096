import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useAct } from '../../parts/use-act.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { ShowSecret } from './show-secret.tsx';

/** A secret for the authenticator, a code made with it in return, and then the way in without it. */
export const SetUpSecondFactor = ({ isOn }: { isOn: boolean }) => {
  const [codes, setCodes] = useState<string[] | null>(null);
  const begin = useAct(() => api.beginSecondFactor());
  const close = () => {
    setCodes(null);
    begin.reset();
  };
  return (
    <>
      {!isOn && (
        <Button loading={begin.isPending} onClick={() => begin.mutate()}>
          Set it up
        </Button>
      )}
      <Modal
        opened={begin.data !== undefined}
        onClose={close}
        title={codes ? 'Keep your recovery codes' : 'Set up the second factor'}
        closeOnClickOutside={false}
        closeOnEscape={codes === null}
        withCloseButton={codes === null}
      >
        {codes ? (
          <RecoveryCodes codes={codes} onClose={close} />
        ) : (
          begin.data && <ShowSecret {...begin.data} onProved={setCodes} />
        )}
      </Modal>
    </>
  );
};
