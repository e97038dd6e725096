import type { Output } from '@holdfast/sdk';
import { Modal } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { MintForm } from './mint-form.tsx';
import { MintedKey } from './minted-key.tsx';

export type Minted = Output<'createKey'>;

type MintKeyProps = { opened: boolean; onClose: () => void };

/** First what the key shall be, then the key itself: seen once, and not lost by a stray click. */
export const MintKey = ({ opened, onClose }: MintKeyProps) => {
  const [minted, setMinted] = useState<Minted | null>(null);
  const [isLeaving, setIsLeaving] = useState(false);
  const isPhone = useMediaQuery('(max-width: 48em)');
  const close = () => {
    setMinted(null);
    setIsLeaving(false);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={minted ? () => setIsLeaving(true) : close}
      title={minted ? 'Your new key' : 'Mint a key'}
      size="lg"
      fullScreen={isPhone}
      closeOnClickOutside={!minted}
    >
      {minted ? (
        <MintedKey
          minted={minted}
          isLeaving={isLeaving}
          onLeave={() => setIsLeaving(true)}
          onStay={() => setIsLeaving(false)}
          onClose={close}
        />
      ) : (
        <MintForm onMinted={setMinted} onClose={close} />
      )}
    </Modal>
  );
};
