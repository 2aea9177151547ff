import { useLocalStorage } from '@vueuse/core';
import { computed, onMounted, ref } from 'vue';

/** The accounts whose tokens this server offers, and the selected one. A deployed service offers none. */
export const useAccounts = () => {
  const accounts = ref<readonly { readonly name: string; readonly token: string }[]>();
  const name = useLocalStorage('account', '', { listenToStorageChanges: false });
  /** Undefined until it is known; empty without tokens. */
  const token = computed(() => accounts.value && (accounts.value.find((one) => one.name === name.value)?.token ?? ''));
  onMounted(async () => {
    const response = await fetch('/docs/tokens.json').catch(() => undefined);
    const offered: NonNullable<typeof accounts.value> = response?.ok ? await response.json() : [];
    if (!offered.some((one) => one.name === name.value)) name.value = offered[0]?.name ?? '';
    accounts.value = offered;
  });
  return { accounts, name, token };
};
